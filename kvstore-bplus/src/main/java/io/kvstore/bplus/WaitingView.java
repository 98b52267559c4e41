package io.kvstore.bplus;

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
 * @param dropped see {@link Layers#dropped}, as of then
 */
record WaitingView(Generations.Look look, List<SortedChanges> runs, long lsn, int dropped) {

    /**
     * What there is to be seen.
     *
     * @param lsn of an open snapshot, or above all that was applied for the newest
     */
    static WaitingView of(PutBuffer puts, long lsn) {
        while (true) {
            int dropped = puts.dropped();
            Generations.Look look = puts.look(lsn);
            boolean isTaken = false;
            try {
                long upTo = lsn == Long.MAX_VALUE ? puts.appliedLsn() : lsn;
                List<SortedChanges> runs = new ArrayList<>();
                if (look.isNewest()) {
                    puts.upTo(upTo).forEach(layer -> runs.addAll(layer.runs()));
                }
                WaitingView seen = new WaitingView(look, runs, upTo, dropped);
                isTaken = puts.dropped() == dropped || !look.isNewest();
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
    long newestLsn() {
        long newest = look.state().lsn();
        for (SortedChanges run : runs) {
            newest = Math.max(newest, Math.min(lsn, run.lastLsn()));
        }
        return newest;
    }
}
