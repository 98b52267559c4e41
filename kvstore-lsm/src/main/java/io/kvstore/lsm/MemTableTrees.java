package io.kvstore.lsm;

import io.kvstore.lsm.sstable.EntryCursor;
import java.util.List;

/**
 * The order of a memtable's entries, in one tree or in several: a tree that the caches of the processor have no room for takes
 * much longer to add to. So entries go to a new tree when one is large, unless the memtable is searched, which takes longer the
 * more trees there are. Whoever flushes them merges all.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Every entry of a tree is of a later operation than all entries of the trees after it: a search ends at its first find.
 *   <li>A tree is begun between two operations, so all changes of one operation are in one tree.
 *   <li>None but the first tree is empty, and that only if it is the only one or no operation came after it was begun.
 * </ol>
 *
 * <p>One writer; readers take no lock.
 */
final class MemTableTrees {

    /** A tree grows on if the memtable is searched so often while it becomes large. */
    private static final int MANY_SEARCHES = 1_000;

    private final ArenaChunks nodes;
    private final MemTableEntries entries;
    private final long treeBytes;
    private volatile MemTableTree[] trees;

    /** Of the writer: what was taken when the newest tree was begun or found worth going on with. */
    private long begunBytes;

    /** Changed by readers and by the writer without a lock: a hint, some are lost. */
    private int searches;

    /** @param treeBytes a tree is large when it and its entries take so much memory */
    MemTableTrees(ArenaChunks nodes, MemTableEntries entries, long treeBytes) {
        this.nodes = nodes;
        this.entries = entries;
        this.treeBytes = treeBytes;
        this.trees = new MemTableTree[] {new MemTableTree(nodes, entries)};
    }

    /** The tree that entries are added to; between two operations, before anything is reserved for the next one. */
    MemTableTree next() {
        MemTableTree newest = trees[0];
        if (nodes.takenBytes() - begunBytes < treeBytes || newest.isEmpty()) {
            return newest;
        }
        begunBytes = nodes.takenBytes();
        boolean isSearched = searches >= MANY_SEARCHES;
        searches = 0;
        if (isSearched) {
            return newest;
        }
        MemTableTree[] more = new MemTableTree[trees.length + 1];
        more[0] = new MemTableTree(nodes, entries);
        System.arraycopy(trees, 0, more, 1, trees.length);
        trees = more;
        return more[0];
    }

    private void noteSearch() {
        if (searches < MANY_SEARCHES) {
            searches++;
        }
    }

    /** The newest version of a key at or below an lsn, or {@link MemTableTree#NIL}. */
    int find(byte[] key, long head, long lsn) {
        noteSearch();
        int found = MemTableTree.NIL;
        MemTableTree[] now = trees;
        for (int i = 0; i < now.length && found == MemTableTree.NIL; i++) {
            found = now[i].find(key, head, lsn);
        }
        return found;
    }

    /** Adds a walk over each tree to others. */
    void addCursors(List<EntryCursor> sources, boolean reversed) {
        noteSearch();
        for (MemTableTree tree : trees) {
            sources.add(new MemTableCursor(tree, entries, reversed));
        }
    }

    int count() {
        return trees.length;
    }

    boolean isEmpty() {
        MemTableTree[] now = trees;
        return now[now.length - 1].isEmpty();
    }
}
