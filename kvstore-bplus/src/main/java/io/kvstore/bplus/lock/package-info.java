/**
 * The locks of a table, and the order in which a thread takes several of them. {@link io.kvstore.bplus.lock.TreeLocks} has a
 * rank for each lock, with its purpose, and checks the order in tests. A lock under which no other is taken, as the monitor of
 * one layer, has no rank.
 *
 * <p>A get or scan of pages in memory takes none of these locks; see {@link io.kvstore.engine.Epochs}.
 */
@NullMarked
package io.kvstore.bplus.lock;

import org.jspecify.annotations.NullMarked;
