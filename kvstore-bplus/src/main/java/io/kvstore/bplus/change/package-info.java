/**
 * Changes in memory. A {@link io.kvstore.bplus.change.ChangeArena} has them in the order in which they came, in a few large
 * arrays; {@link io.kvstore.bplus.change.SortedChanges} has them in the order of keys. Both are used for a part of the log that
 * is replayed, and for applied changes that wait to be merged. {@link io.kvstore.bplus.change.BlockedRanges} has the ranges of
 * keys whose changes cannot be merged, because a page on their way is damaged.
 */
@NullMarked
package io.kvstore.bplus.change;

import org.jspecify.annotations.NullMarked;
