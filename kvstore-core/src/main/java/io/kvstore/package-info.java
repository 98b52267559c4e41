/**
 * The public API. A program opens a {@link io.kvstore.KVStore} over a directory, makes databases and tables in it, and reads
 * and writes through a {@link io.kvstore.Table}. A {@link io.kvstore.WriteBatch} changes several tables as one operation, and
 * a {@link io.kvstore.Snapshot} sees all tables as they were at one moment.
 *
 * <p>All types are for any number of threads, except cursors and batches. Options are immutable. Failures are unchecked
 * exceptions of {@code io.kvstore.error}.
 */
@NullMarked
package io.kvstore;

import org.jspecify.annotations.NullMarked;
