package io.kvstore.bplus.pending;

import io.kvstore.bplus.tree.BranchCursor;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * Counts the entries of a range in a view by pages. Each leaf tells how many entries it has. For each waiting change, the
 * leaf of its key is asked whether the state has the key, and the count is corrected: a put of a new key adds one, a removal
 * of a present key takes one away.
 *
 * <p>A view of an open snapshot is taken anew now and then, so that a long count does not hold changes that were merged
 * meanwhile. For one thread.
 */
public final class ViewCount {

    /** Pages above leaves that are counted with one view: about a millisecond if they and the leaves are in memory. */
    private static final int PAGES_AT_ONCE = 64;

    private final ViewCursor.Table table;
    private final long viewLsn;
    private final Consumer<WaitingView> check;
    private final long most;
    private KeyRange rest;
    private long count;
    private boolean isEnded;
    private boolean isFound;

    /**
     * @param range its direction does not matter
     * @param viewLsn lsn of an open snapshot, or {@link Long#MAX_VALUE} for the newest state
     * @param check may throw if the view is not to be shown
     */
    public ViewCount(ViewCursor.Table table, KeyRange range, long viewLsn, Consumer<WaitingView> check) {
        this.table = table;
        this.viewLsn = viewLsn;
        this.check = check;
        this.most = range.limit();
        KeyRange forward = range.reversed() ? range.reverse() : range;
        this.rest = forward.limit(Long.MAX_VALUE);
    }

    /** The number of entries, at most the range's limit. */
    public long all() throws IOException {
        return find(most - 1) ? most : count;
    }

    /**
     * Counts up to the entry with a number of entries before it, and stops some leaves before that entry. Returns false if
     * there are fewer entries. Otherwise the entry is in the {@link #rest()}, and {@link #count()} entries were before that.
     */
    public boolean find(long index) throws IOException {
        while (!isEnded && !isFound) {
            countSome(index);
        }
        return isFound;
    }

    public long count() {
        return count;
    }

    /** The entries that were not counted. */
    public KeyRange rest() {
        return rest;
    }

    private void countSome(long index) throws IOException {
        WaitingView seen = WaitingView.of(table.changes(), viewLsn);
        try (TreeVersions.Look look = seen.look()) {
            check.accept(seen);
            WaitingCursor waiting = new WaitingCursor(seen.runs(), rest, seen.lsn());
            boolean isEmpty = look.state().rootId() == 0;
            BranchCursor pages = new BranchCursor(table.reader(), look.state(), rest);
            waiting.next();
            int counted = 0;
            while (isEmpty || pages.next()) {
                byte[] end = isEmpty ? null : pages.upper();
                long here = isEmpty ? 0 : pages.entries();
                byte[] key = waiting.key();
                while (key != null && (end == null || KeyOrder.compare(key, end) < 0)) {
                    boolean isThere = !isEmpty && pages.has(key);
                    here += (waiting.isRemoval() ? 0 : 1) - (isThere ? 1 : 0);
                    key = waiting.next() ? waiting.key() : null;
                }
                if (count + here > index) {
                    isFound = true;
                    return;
                }
                count += here;
                if (end == null || rest.isAbove(end)) {
                    break;
                }
                rest = rest.from(end, true);
                if (++counted == PAGES_AT_ONCE && viewLsn != Long.MAX_VALUE) {
                    return;
                }
            }
            isEnded = true;
        }
    }
}
