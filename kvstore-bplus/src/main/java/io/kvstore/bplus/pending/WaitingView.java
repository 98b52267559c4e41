package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.bplus.tree.TreeVersions;
import java.util.ArrayList;
import java.util.List;

/**
 * What a cursor sees: a state of the tree, and over it changes that wait.
 *
 * <p>The state is taken first and the changes then. What was applied before and is not in the state waits, or did a moment ago;
 * that no layer left meanwhile says that all of it was found. Some of what waits may be in the state too, which does no harm,
 * for nothing newer is. So a state in the middle of a merge will do.
 *
 * @param look the state, until somebody closes it
 * @param runs the changes, in the order of keys, in parts; without those that do not belong to it. Those of a newer layer come
 *     first: two layers may have changes of one operation
 * @param lsn changes after it do not belong to it
 * @param dropped see {@link ChangeLayers#dropped}, as of then
 */
public record WaitingView(TreeVersions.Look look, List<SortedChanges> runs, long lsn, int dropped) {

    /**
     * What there is to be seen.
     *
     * @param lsn of an open snapshot, or above all that was applied for the newest
     */
    static WaitingView of(ChangeBuffer changes, long lsn) {
        while (true) {
            int dropped = changes.dropped();
            TreeVersions.Look look = changes.look(lsn);
            boolean isTaken = false;
            try {
                long upTo = lsn == Long.MAX_VALUE ? changes.appliedLsn() : lsn;
                List<SortedChanges> runs = new ArrayList<>();
                if (look.isNewest()) {
                    changes.upTo(upTo).forEach(layer -> runs.addAll(layer.runs()));
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

    /** The last operation that it may have something of. */
    public long newestLsn() {
        long newest = look.state().lsn();
        for (SortedChanges run : runs) {
            newest = Math.max(newest, Math.min(lsn, run.lastLsn()));
        }
        return newest;
    }
}
