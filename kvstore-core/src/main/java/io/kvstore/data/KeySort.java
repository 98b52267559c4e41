package io.kvstore.data;

import java.util.Arrays;

/**
 * Sorts many keys that take long to access. Each key is known by a number.
 *
 * <p>The sort works on one {@code long} for each key. Its upper part is some 40 bits of the key, taken behind the bits that all
 * keys have in common. Its lower part is the index of the key. So nearly all of the sorting touches only these numbers. If many
 * keys agree in the 40 bits, they are sorted by their next bits in the same way, because keys with a few common beginnings
 * would otherwise all be compared. Few keys, or equal keys, are compared with each other.
 */
public final class KeySort {

    /** At most this many keys are compared with each other, which takes less time than another array. */
    private static final int FEW = 32;

    /** The most steps by further bits. Keys that still agree then are compared, because each step may separate only one key. */
    private static final int DEEPEST = 64;

    private final Keys keys;

    private KeySort(Keys keys) {
        this.keys = keys;
    }

    /** The keys that are to be sorted, each known by a number. */
    public interface Keys {

        /** Eight bytes of a key from {@code from}, a multiple of eight, as in {@link KeyHead}. Zeros behind the key's end. */
        long headFrom(int item, int from);

        int keyLength(int item);

        /** Compares two keys as {@link KeyOrder} does. Equal keys may be compared by something else. */
        int compare(int left, int right);
    }

    /** The items in the order of their keys, in a new array. */
    public static int[] sorted(int[] items, Keys keys) {
        int[] result = items.clone();
        new KeySort(keys).sort(result, 0, result.length, 0);
        return result;
    }

    private void sort(int[] items, int from, int to, int depth) {
        if (to - from <= FEW) {
            insertionSort(items, from, to);
        } else {
            sortMany(items, from, Arrays.copyOfRange(items, from, to), depth);
        }
    }

    private void sortMany(int[] items, int from, int[] given, int depth) {
        int indexBits = Long.SIZE - Long.numberOfLeadingZeros(given.length);
        long index = (1L << indexBits) - 1;
        long[] order = heads(given);
        int common = commonBits(order);
        if (common == Long.SIZE || depth == DEEPEST) {
            Integer[] boxed = Arrays.stream(given).boxed().toArray(Integer[]::new);
            Arrays.sort(boxed, keys::compare);
            Arrays.setAll(given, i -> boxed[i]);
            System.arraycopy(given, 0, items, from, given.length);
            return;
        }
        for (int i = 0; i < order.length; i++) {
            order[i] = (((order[i] << common) ^ Long.MIN_VALUE) & ~index) | i;
        }
        Arrays.sort(order);
        for (int i = 0; i < order.length; i++) {
            items[from + i] = given[(int) (order[i] & index)];
        }
        int alike = 0;
        for (int i = 1; i <= order.length; i++) {
            if (i == order.length || order[i] >> indexBits != order[alike] >> indexBits) {
                sort(items, from + alike, from + i, depth + 1);
                alike = i;
            }
        }
    }

    /** Eight bytes of each key, from the first multiple of eight at which not all keys have the same eight bytes. */
    private long[] heads(int[] given) {
        long[] heads = new long[given.length];
        int from = 0;
        do {
            for (int i = 0; i < given.length; i++) {
                heads[i] = keys.headFrom(given[i], from);
            }
            from += KeyHead.BYTES;
        } while (commonBits(heads) == Long.SIZE && hasLonger(given, from));
        return heads;
    }

    private boolean hasLonger(int[] given, int bytes) {
        return Arrays.stream(given).anyMatch(item -> keys.keyLength(item) > bytes);
    }

    private static int commonBits(long[] heads) {
        long differing = 0;
        for (long head : heads) {
            differing |= head ^ heads[0];
        }
        return Long.numberOfLeadingZeros(differing);
    }

    private void insertionSort(int[] items, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            int one = items[i];
            int hole = i;
            while (hole > from && keys.compare(items[hole - 1], one) > 0) {
                items[hole] = items[hole - 1];
                hole--;
            }
            items[hole] = one;
        }
    }
}
