/**
 * The locks of a table that a thread may have several of, and the order in which it takes them. {@link
 * io.kvstore.bplus.lock.TreeLocks} names each rank, says what its lock guards and whether it is held over I/O, and checks the
 * order in tests. Locks that are taken last and under which no other is taken, as the monitor of one layer, have no rank.
 *
 * <p>A get or scan of pages in memory takes none of these locks; see {@link io.kvstore.engine.Epochs}.
 */
@NullMarked
package io.kvstore.bplus.lock;

import org.jspecify.annotations.NullMarked;
