package io.kvstore.lsm.memtable;

import io.kvstore.data.KeyHash;
import io.kvstore.lsm.entry.EntryCursor;
import java.util.List;

/**
 * The entries of a memtable, in one run or in several: one that the caches of the processor have no room for takes much longer
 * to add to. So entries go to a new run when one is large, unless the memtable is searched, which takes longer the more runs
 * there are. Whoever flushes them merges all.
 *
 * <p>Entries that nobody walks over need no order yet: they go to a run that is sorted when somebody does, once. From then on
 * they go to a tree, up to the end of a run of which nobody wanted the order.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Every entry of a run is of a later operation than all entries of the runs after it: a search ends at its first find.
 *   <li>A run is begun between two operations, so all changes of one operation are in one run.
 *   <li>None but the first run is empty, and that only if it is the only one or no operation came after it was begun.
 * </ol>
 *
 * <p>One writer; readers take no lock to find an entry.
 */
final class Runs {

    /** A run grows on if the memtable is searched so often while it becomes large. */
    private static final int MANY_SEARCHES = 1_000;

    private final ChunkArena nodes;
    private final EntryArena entries;
    private final long runBytes;
    private final KeyHash keyHash;
    private volatile Run[] runs;

    /** Of the writer: what was taken when the newest run was begun or found worth going on with. */
    private long begunBytes;

    private boolean hasUnsorted;

    /** Changed by readers and by the writer without a lock: a hint, some are lost. */
    private int searches;

    /** Whether somebody has walked over entries since the newest run was begun; a hint as well. */
    private boolean isOrderWanted;

    /** @param runBytes a run is large when it and its entries take so much memory */
    Runs(ChunkArena nodes, EntryArena entries, long runBytes, KeyHash keyHash) {
        this.keyHash = keyHash;
        this.nodes = nodes;
        this.entries = entries;
        this.runBytes = runBytes;
        this.runs = new Run[] {new HashRun(nodes, entries, keyHash)};
    }

    /** The run that entries are added to; between two operations, before anything is reserved for the next one. */
    Run next() {
        Run newest = runs[0];
        boolean isLarge = nodes.takenBytes() - begunBytes >= runBytes;
        boolean isToEnd = newest.isFull() || (newest instanceof HashRun && wantsTree(newest));
        if (newest.isEmpty() || !(isLarge || isToEnd)) {
            return newest;
        }
        begunBytes = nodes.takenBytes();
        boolean isSearched = searches >= MANY_SEARCHES;
        searches = 0;
        return isSearched && !isToEnd ? newest : begin(wantsTree(newest));
    }

    private boolean wantsTree(Run newest) {
        return isOrderWanted || (newest instanceof HashRun arrivals && arrivals.isDeep());
    }

    private Run begin(boolean tree) {
        Run[] more = new Run[runs.length + 1];
        more[0] = tree ? new TreeRun(nodes, entries) : new HashRun(nodes, entries, keyHash);
        System.arraycopy(runs, 0, more, 1, runs.length);
        isOrderWanted = false;
        hasUnsorted |= runs[0] instanceof HashRun;
        runs = more;
        return more[0];
    }

    /** Of the writer: whether a run that gets no more entries was not sorted, as far as it was not said before. */
    boolean takeUnsorted() {
        boolean result = hasUnsorted;
        hasUnsorted = false;
        return result;
    }

    /** Sorts all runs that get no more entries, before somebody waits for that. */
    void sort() {
        Run[] now = runs;
        for (int i = 1; i < now.length; i++) {
            now[i].sort();
        }
    }

    private void noteSearch() {
        if (searches < MANY_SEARCHES) {
            searches++;
        }
    }

    /** The newest version of a key at or below an lsn, or {@link Run#NIL}. */
    int find(byte[] key, long head, long lsn) {
        noteSearch();
        int found = Run.NIL;
        Run[] now = runs;
        for (int i = 0; i < now.length && found == Run.NIL; i++) {
            found = now[i].find(key, head, lsn);
        }
        return found;
    }

    /** Adds a walk over each run to others. */
    void addCursors(List<EntryCursor> sources, boolean reversed) {
        noteSearch();
        if (!isOrderWanted) {
            isOrderWanted = true;
        }
        for (Run run : runs) {
            sources.add(new MemTableCursor(run.leaves(), entries, reversed));
        }
    }

    int count() {
        return runs.length;
    }

    boolean isEmpty() {
        Run[] now = runs;
        return now[now.length - 1].isEmpty();
    }
}
