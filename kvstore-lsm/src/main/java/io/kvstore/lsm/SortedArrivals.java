package io.kvstore.lsm;

import io.kvstore.data.KeyHead;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Entries that were added in no order, in order. For any number of threads.
 *
 * <p>What is sorted is one number for each: above its index of 24 bits 40 bits of the key, behind what the heads of all keys
 * have in common. So nearly all of the sorting touches nothing but these numbers; only where keys agree in those bits are the
 * entries looked at.
 */
final class SortedArrivals implements MemTableRun.Leaves {

    private static final int LEAF_ENTRIES = SortedLeaf.MAX_ENTRIES - 1;
    private static final int INDEX_BITS = 24;
    private static final long INDEX = (1L << INDEX_BITS) - 1;
    private static final int FEW = 32;

    private final MemTableEntries entries;
    private final int[] places;
    private final int least;

    /**
     * Sorts entries.
     *
     * @param places where they are, fewer than 2^24; taken over
     * @param least how many that were added first are among them
     */
    SortedArrivals(MemTableEntries entries, int[] places, int least) {
        this.entries = entries;
        this.least = least;
        this.places = sorted(places);
    }

    /** Whether so many entries that were added first are here. */
    boolean hasFirst(int count) {
        return least >= count;
    }

    private int[] sorted(int[] given) {
        long[] order = heads(given);
        int common = commonBits(order);
        for (int i = 0; i < order.length; i++) {
            long bits = common == Long.SIZE ? 0 : order[i] << common;
            order[i] = ((bits ^ Long.MIN_VALUE) & ~INDEX) | i;
        }
        Arrays.sort(order);
        int[] result = new int[given.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = given[(int) (order[i] & INDEX)];
        }
        int from = 0;
        for (int i = 1; i <= order.length; i++) {
            if (i == order.length || order[i] >> INDEX_BITS != order[from] >> INDEX_BITS) {
                sortAlike(result, from, i);
                from = i;
            }
        }
        return result;
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

    /** Some that agree in what was sorted by, hardly ever many. */
    private void sortAlike(int[] alike, int from, int to) {
        if (to - from > FEW) {
            Integer[] boxed = Arrays.stream(alike, from, to).boxed().toArray(Integer[]::new);
            Arrays.sort(boxed, Comparator.comparing((Integer one) -> one, this::compare));
            for (int i = from; i < to; i++) {
                alike[i] = boxed[i - from];
            }
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
