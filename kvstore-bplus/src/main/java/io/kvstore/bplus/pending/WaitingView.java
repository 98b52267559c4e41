package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.bplus.tree.TreeVersions;
import java.util.ArrayList;
import java.util.List;

/**
 * The view of a cursor: a state of the tree, overlaid by waiting changes.
 *
 * <p>The state is taken first, and then the changes. A change that was applied before and is not in the state waits, or waited
 * a moment ago. If no layer left meanwhile, all such changes were found. Some waiting changes may be in the state too. That
 * does no harm, for the state has no newer change of their keys. So a state in the middle of a merge is good enough.
 *
 * @param look the state, which is kept until the look is closed
 * @param runs the waiting changes, each run in the order of keys; none if the state has all of them. The runs of a newer layer
 *     come first: two layers may have changes of one operation
 * @param lsn changes after it do not belong to the view
 * @param dropped {@link ChangeLayers#dropped} when the view was taken
 */
public record WaitingView(TreeVersions.Look look, List<SortedChanges> runs, long lsn, int dropped) {

    /** @param lsn that of an open snapshot, or {@link Long#MAX_VALUE} for the newest state */
    static WaitingView of(ChangeBuffer changes, long lsn) {
        while (true) {
            int dropped = changes.dropped();
            TreeVersions.Look look = changes.look(lsn);
            boolean isTaken = false;
            try {
                long upTo = lsn == Long.MAX_VALUE ? changes.appliedLsn() : lsn;
                List<SortedChanges> runs = new ArrayList<>();
                if (look.isNewest()) {
                    for (ChangeLayer layer : changes.upTo(upTo)) {
                        runs.addAll(layer.runs());
                    }
                }
                WaitingView seen = new WaitingView(look, runs, upTo, dropped);
                isTaken = changes.dropped() == dropped || !look.isNewest();
                if (isTaken) {
                    return seen;
                }
            } finally {
                if (!isTaken) {
                    look.close();
                }
            }
        }
    }

    /** The last operation that the view may have a change of. */
    public long newestLsn() {
        long newest = look.state().lsn();
        for (SortedChanges run : runs) {
            newest = Math.max(newest, Math.min(lsn, run.lastLsn()));
        }
        return newest;
    }
}
