package io.kvstore.lsm.memtable;

import io.kvstore.data.KeyHash;
import io.kvstore.engine.HintCounter;
import io.kvstore.lsm.entry.EntryCursor;
import java.util.List;

/**
 * The entries of a memtable, in one run or in several. A run that does not fit into the processor's caches is much slower to
 * add to. So entries go to a new run when the newest one is large. But a search takes longer the more runs there are, so a
 * memtable that is often searched goes on with one run. The flush merges all runs.
 *
 * <p>Entries need no order while there are no walks. So entries go to a hash run, which is sorted once, when the first walk
 * comes. From then on they go to a tree run, until a run ends over whose entries no walk went.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Every entry of a run is of a later operation than all entries of the runs behind it. So a search ends at its first
 *       find.
 *   <li>A run begins between two operations, so all changes of one operation are in one run.
 *   <li>Only the newest run, which is the first, may be empty: if it is the only one, or if no operation came after it was
 *       begun.
 * </ol>
 *
 * <p>One writer. Readers take no lock to find an entry.
 */
final class Runs {

    /** A large run goes on growing if the memtable was searched this number of times meanwhile. */
    private static final int MANY_SEARCHES = 1_000;

    private final ChunkArena nodes;
    private final EntryArena entries;
    private final long runBytes;
    private final KeyHash keyHash;
    private volatile Run[] runs;

    /** The bytes taken when the newest run was begun, or when it was last found large and went on. Used by the writer only. */
    private long begunBytes;

    private boolean hasUnsorted;

    private final HintCounter searches = new HintCounter();

    /** Whether a walk went over entries since the newest run was begun. A hint as well. */
    private boolean isOrderWanted;

    /** @param runBytes a run is large when it and its entries take this number of bytes */
    Runs(ChunkArena nodes, EntryArena entries, long runBytes, KeyHash keyHash) {
        this.keyHash = keyHash;
        this.nodes = nodes;
        this.entries = entries;
        this.runBytes = runBytes;
        this.runs = new Run[] {new HashRun(nodes, entries, keyHash)};
    }

    /**
     * Returns the run to which entries are added. Called between two operations, before anything is reserved for the next one.
     */
    Run next() {
        Run newest = runs[0];
        boolean isLarge = nodes.takenBytes() - begunBytes >= runBytes;
        boolean isToEnd = newest.isFull() || (newest instanceof HashRun && wantsTree(newest));
        if (newest.isEmpty() || !(isLarge || isToEnd)) {
            return newest;
        }
        begunBytes = nodes.takenBytes();
        boolean isSearched = searches.get() >= MANY_SEARCHES;
        searches.reset();
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

    /** Called by the writer. Whether a hash run has ended since the last call, which may be unsorted. */
    boolean takeUnsorted() {
        boolean result = hasUnsorted;
        hasUnsorted = false;
        return result;
    }

    /** Sorts all runs that get no more entries, before a cursor waits for that. */
    void sort() {
        Run[] now = runs;
        for (int i = 1; i < now.length; i++) {
            now[i].sort();
        }
    }

    private void noteSearch() {
        if (searches.get() < MANY_SEARCHES) {
            searches.increment();
        }
    }

    /** Returns the newest version of a key at or below an lsn, or {@link Run#NIL}. */
    int find(byte[] key, long head, long lsn) {
        noteSearch();
        int found = Run.NIL;
        Run[] now = runs;
        for (int i = 0; i < now.length && found == Run.NIL; i++) {
            found = now[i].find(key, head, lsn);
        }
        return found;
    }

    /** Adds a cursor over each run to {@code sources}. */
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
