package io.kvstore.lsm.memtable;

import io.kvstore.data.KeySort;

/** The entries of a hash run in order; see {@link KeySort}. For any number of threads. */
final class SortedRun implements Run.Leaves {

    private static final int LEAF_ENTRIES = LeafCopy.MAX_ENTRIES - 1;

    private final EntryArena entries;
    private final int[] places;
    private final int least;

    /** @param least the number of entries added first that are all among the places */
    SortedRun(EntryArena entries, int[] places, int least) {
        this.entries = entries;
        this.least = least;
        this.places = KeySort.sorted(places, entries);
    }

    /** Whether the given number of entries that were added first are all here. */
    boolean hasFirst(int count) {
        return least >= count;
    }

    @Override
    public void copyLeaf(byte[] key, long head, long lsn, LeafCopy target) {
        int low = 0;
        int high = places.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            long headThere = entries.head(places[middle]);
            int order = headThere != head
                    ? Long.compareUnsigned(headThere, head)
                    : entries.compare(places[middle], key, lsn);
            if (order <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        copy(low / LEAF_ENTRIES, target);
    }

    @Override
    public void copyLeaf(boolean last, LeafCopy target) {
        copy(last ? Math.max(0, places.length - 1) / LEAF_ENTRIES : 0, target);
    }

    private void copy(int leaf, LeafCopy target) {
        int from = leaf * LEAF_ENTRIES;
        int to = Math.min(places.length, from + LEAF_ENTRIES);
        target.clear();
        for (int i = from; i < to; i++) {
            target.append(entries.head(places[i]), places[i]);
        }
        if (from > 0) {
            target.setLower(places[from]);
        }
        if (to < places.length) {
            target.setUpper(places[to]);
        }
    }
}
