/**
 * What was written last, outside the heap, until it is flushed to a file.
 *
 * <p>A {@link io.kvstore.lsm.memtable.MemTable} has its entries in an arena and finds them through one or several runs. A run
 * goes through these states; each change is made by the thread named with it:
 *
 * <pre>
 *   hash run     entries in no order, found by their hash       begun by the writer
 *      |
 *   sorted       an order made once, for the first walk         by whoever walks first
 *      |
 *   ended        too large for the processor's caches           by the writer, which begins another one
 *
 *   tree run     begun in place of a hash run while walks go on, because its entries are in order at all times
 * </pre>
 *
 * <p>Invariants: one writer at a time, under the table's write lock; readers take no lock. An entry never changes and goes with
 * the whole memtable. Runs are in the order of lsns, so a search from the newest run on ends at its first find. What
 * {@code apply} takes was reserved before, so that it cannot fail.
 */
@NullMarked
package io.kvstore.lsm.memtable;

import org.jspecify.annotations.NullMarked;
