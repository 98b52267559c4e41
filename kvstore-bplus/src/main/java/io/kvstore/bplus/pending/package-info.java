/**
 * The change buffer: changes that are applied and not merged into the tree yet. {@link io.kvstore.bplus.pending.ChangeBuffer}
 * has layers, and a layer goes through these states:
 *
 * <pre>
 *   growing    the writer adds changes, with the lock for putting     at most one, the newest
 *      |       it is full, or a snapshot is opened
 *   sealed     never changes; found by readers                        LayerBounds says when, and how many
 *      |       the background takes the oldest layers
 *   merging    its changes go to the tree in the order of keys        LayerMerge
 *      |       all of them are in the newest state
 *   gone       once no view needs it
 * </pre>
 *
 * <p>The invariants are at the head of {@link io.kvstore.bplus.pending.ChangeBuffer}. The memory of layers is a part of the
 * store's budget, see {@code LayerRoom}. {@code SortedReplay} merges the log into the tree in the same way when a table is
 * opened.
 */
@NullMarked
package io.kvstore.bplus.pending;

import org.jspecify.annotations.NullMarked;
