/**
 * The newest entries of a table, outside the heap, until they are flushed to a file.
 *
 * <p>A {@link io.kvstore.lsm.memtable.MemTable} has its entries in an arena and finds them through one or several runs. A
 * run goes through these states. Each change is made by the thread named with it:
 *
 * <pre>
 *   hash run     entries in no order, found by their hash       begun by the writer
 *      |
 *   sorted       an order made once, for the first walk         by the thread that walks first
 *      |
 *   ended        too large for the processor's caches           by the writer, which begins another run
 *
 *   tree run     begun in place of a hash run while walks go on, because its entries are in order at all times
 * </pre>
 *
 * <p>The invariants are at the heads of {@link io.kvstore.lsm.memtable.MemTable} and {@code Runs}.
 */
@NullMarked
package io.kvstore.lsm.memtable;

import org.jspecify.annotations.NullMarked;
