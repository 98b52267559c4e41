package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.SortedChanges;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A part of a layer that is merged into the tree as a whole. For the thread that merges.
 *
 * @param firstLsn lsn of its first operation
 * @param lastLsn lsn of the last operation that it ends
 * @param isWhole whether the piece ends with a whole operation, and not with a part of one
 * @param mergedTo how many of the sorted changes are in the tree
 */
record LayerPiece(SortedChanges sorted, long firstLsn, long lastLsn, boolean isWhole, AtomicInteger mergedTo) {}
