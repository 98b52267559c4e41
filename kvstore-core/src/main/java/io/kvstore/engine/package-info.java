/**
 * The SPI between the store and a storage engine, and the means that the store lends to its engines.
 *
 * <pre>
 *   TableEngineProvider   found by ServiceLoader; opens a table of its kind
 *   TableEngine           one table: reserve, apply, get, scan, checkpoint. Its Javadoc says which thread calls what, when
 *   TableContext          what a table may use: directory, memory, threads, epochs, snapshots, the barrier
 *   Background            threads of the store, by urgency; a BackgroundTask is work that is asked for again and again
 *   Epochs                memory and files stay until the last reader that may see them has gone
 *   Replay                records of the log that a table gets back after a crash
 *   BlockCodec            compression, found by ServiceLoader
 * </pre>
 *
 * <p>An engine is told an lsn with each change, and is asked up to which lsn its files are durable. It never sees the log.
 * One thread writes a table at a time, under the table's lock; readers take no lock. An engine that fails reports it to its
 * {@link io.kvstore.engine.FailureHandler}, and its table is refused from then on while all other tables go on.
 */
@NullMarked
package io.kvstore.engine;

import org.jspecify.annotations.NullMarked;
