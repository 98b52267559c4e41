package io.kvstore.lsm;

import io.kvstore.data.KeyHead;
import java.util.Arrays;

/**
 * Entries that were added in no order, in order. For any number of threads.
 *
 * <p>What is sorted is one number for each: above its index some 40 bits of the key, behind what all keys have in common. So
 * nearly all of the sorting touches nothing but these numbers. Many keys that agree in those bits are sorted by the next ones
 * in the same way; where they are few, or the same, the entries are compared.
 */
final class SortedArrivals implements MemTableRun.Leaves {

    private static final int LEAF_ENTRIES = SortedLeaf.MAX_ENTRIES - 1;
    private static final int FEW = 32;

    /** Keys that need more than this to be told apart are compared. */
    private static final int DEEPEST = 64;

    private final MemTableEntries entries;
    private final int[] places;
    private final int least;

    /**
     * Sorts entries.
     *
     * @param places where they are; taken over
     * @param least how many that were added first are among them
     */
    SortedArrivals(MemTableEntries entries, int[] places, int least) {
        this.entries = entries;
        this.least = least;
        this.places = sorted(places, 0);
    }

    /** Whether so many entries that were added first are here. */
    boolean hasFirst(int count) {
        return least >= count;
    }

    private int[] sorted(int[] given, int depth) {
        int indexBits = Long.SIZE - Long.numberOfLeadingZeros(given.length);
        long index = (1L << indexBits) - 1;
        long[] order = heads(given);
        int common = commonBits(order);
        if (common == Long.SIZE || depth == DEEPEST) {
            return compared(given);
        }
        for (int i = 0; i < order.length; i++) {
            order[i] = (((order[i] << common) ^ Long.MIN_VALUE) & ~index) | i;
        }
        Arrays.sort(order);
        int[] result = new int[given.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = given[(int) (order[i] & index)];
        }
        int from = 0;
        for (int i = 1; i <= order.length; i++) {
            if (i == order.length || order[i] >> indexBits != order[from] >> indexBits) {
                sortAlike(result, from, i, depth);
                from = i;
            }
        }
        return result;
    }

    private int[] compared(int[] given) {
        return Arrays.stream(given)
                .boxed()
                .sorted(this::compare)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Eight bytes of each key, from the first multiple of eight on where not all keys have the same. */
    private long[] heads(int[] given) {
        long[] heads = new long[given.length];
        int from = 0;
        do {
            for (int i = 0; i < given.length; i++) {
                heads[i] = entries.headFrom(given[i], from);
            }
            from += KeyHead.BYTES;
        } while (commonBits(heads) == Long.SIZE && hasLonger(given, from));
        return heads;
    }

    private boolean hasLonger(int[] given, int bytes) {
        return Arrays.stream(given).anyMatch(entry -> entries.keyLength(entry) > bytes);
    }

    private static int commonBits(long[] heads) {
        long differing = 0;
        for (long head : heads) {
            differing |= head ^ heads[0];
        }
        return Long.numberOfLeadingZeros(differing);
    }

    /** Some that agree in what was sorted by. */
    private void sortAlike(int[] alike, int from, int to, int depth) {
        if (to - from > FEW) {
            int[] sorted = sorted(Arrays.copyOfRange(alike, from, to), depth + 1);
            System.arraycopy(sorted, 0, alike, from, sorted.length);
            return;
        }
        for (int i = from + 1; i < to; i++) {
            int one = alike[i];
            int hole = i;
            while (hole > from && compare(alike[hole - 1], one) > 0) {
                alike[hole] = alike[hole - 1];
                hole--;
            }
            alike[hole] = one;
        }
    }

    private int compare(int left, int right) {
        int order = Long.compareUnsigned(entries.head(left), entries.head(right));
        return order != 0 ? order : entries.compare(left, right);
    }

    @Override
    public void copyLeaf(byte[] key, long head, long lsn, SortedLeaf target) {
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
    public void copyLeaf(boolean last, SortedLeaf target) {
        copy(last ? Math.max(0, places.length - 1) / LEAF_ENTRIES : 0, target);
    }

    private void copy(int leaf, SortedLeaf target) {
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
