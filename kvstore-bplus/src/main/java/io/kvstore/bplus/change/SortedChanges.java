package io.kvstore.bplus.change;

import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyHead;
import io.kvstore.data.KeySort;
import io.kvstore.data.Search;
import io.kvstore.value.segment.ValuePointer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Changes of a {@link ChangeArena} in the order of their keys. Changes of one key are in the order of the log. Never changed
 * once it is made.
 *
 * <p>One number for each change is sorted: 40 bits of the key, from behind the beginning that all keys have in common, above
 * the address. So nearly all of the sorting touches nothing but these numbers. The rest of a key is looked at only where these
 * bits agree. Changes of one key stay in the order of the log, because the address decides.
 */
public final class SortedChanges {

    private static final int ADDRESS_BITS = 24;

    /** The bits of a number that have the address of the change. */
    static final long ADDRESS = (1L << ADDRESS_BITS) - 1;

    private static final int TOUCHED_AHEAD = 64;

    private final ChangeArena changes;
    private final long[] order;
    private final int begin;
    private final int size;

    /** How many bytes at the beginning of the keys are left out of the numbers. */
    private final int common;

    private final long lastLsn;

    /** For the thread that merges: the end of the changes that {@link #touch} asked for. */
    private int touchedEnd;

    private SortedChanges(ChangeArena changes, long[] order, int begin, int size, Said said) {
        this.changes = changes;
        this.order = order;
        this.begin = begin;
        this.size = size;
        this.common = said.common;
        this.lastLsn = said.lastLsn;
    }

    private record Said(int common, long lastLsn) {}

    /** Sorts a part of an array of addresses. No other code uses that part from now on. */
    static SortedChanges sort(ChangeArena changes, long[] order, int from, int to) {
        long lastLsn = from == to ? 0 : changes.lsnAt((int) (order[to - 1] & ADDRESS));
        Said said = new Said(changes.common(), lastLsn);
        SortedChanges result = new SortedChanges(changes, order, from, to - from, said);
        result.sort();
        return result;
    }

    private void sort() {
        int end = begin + size;
        for (int i = begin; i < end; i++) {
            order[i] = numbered((int) (order[i] & ADDRESS), common);
        }
        Arrays.sort(order, begin, end);
        int from = begin;
        for (int i = begin + 1; i <= end; i++) {
            if (i == end || order[i] >> ADDRESS_BITS != order[from] >> ADDRESS_BITS) {
                if (i - from > 1) {
                    sortByRest(from, i);
                }
                from = i;
            }
        }
    }

    private long numbered(int address, int leftOut) {
        return ((changes.headAt(address, leftOut) ^ Long.MIN_VALUE) & ~ADDRESS) | address;
    }

    /** Sorts changes whose numbers agree in the bits of the key. There are hardly ever many. */
    private void sortByRest(int from, int to) {
        int[] addresses = new int[to - from];
        Arrays.setAll(addresses, i -> (int) (order[from + i] & ADDRESS));
        int[] sorted = KeySort.sorted(addresses, new ByRest(changes));
        for (int i = from; i < to; i++) {
            order[i] = (order[i] & ~ADDRESS) | sorted[i - from];
        }
    }

    /** Changes by their addresses. The addresses decide where the keys are the same. */
    private record ByRest(ChangeArena changes) implements KeySort.Keys {

        @Override
        public long headFrom(int address, int from) {
            return changes.headAt(address, from);
        }

        @Override
        public int keyLength(int address) {
            return changes.keyLength(address);
        }

        @Override
        public int compare(int left, int right) {
            int keys = changes.compareKeys(left, right);
            return keys != 0 ? keys : Integer.compare(left, right);
        }
    }

    public SortedChanges with(SortedChanges later) {
        int leftOut = Math.min(common, later.common);
        long[] merged = new long[size + later.size];
        int here = 0;
        int there = 0;
        for (int i = 0; i < merged.length; i++) {
            boolean isHere = there == later.size
                    || (here < size && compare(number(here, leftOut), later.number(there, leftOut)) <= 0);
            merged[i] = isHere ? number(here++, leftOut) : later.number(there++, leftOut);
        }
        return new SortedChanges(changes, merged, 0, merged.length, new Said(leftOut, later.lastLsn));
    }

    private long number(int index, int leftOut) {
        return leftOut == common ? order[begin + index] : numbered(address(index), leftOut);
    }

    private int compare(long left, long right) {
        int heads = Long.compare(left >> ADDRESS_BITS, right >> ADDRESS_BITS);
        return heads != 0 ? heads : changes.compareKeys((int) (left & ADDRESS), (int) (right & ADDRESS));
    }

    public int size() {
        return size;
    }

    /** The lsn of the newest change. */
    public long lastLsn() {
        return lastLsn;
    }

    public int longestBytes() {
        return changes.longestBytes();
    }

    public int address(int index) {
        return (int) (order[begin + index] & ADDRESS);
    }

    public ChangeArena changes() {
        return changes;
    }

    /** The key of a change, as a fresh array. */
    public byte[] key(int index) {
        return changes.keyAt(address(index));
    }

    public long lsn(int index) {
        return changes.lsnAt(address(index));
    }

    /** Whether there is no newer change of the same key here. */
    public boolean isNewest(int index) {
        return index + 1 == size || !isSame(index, index + 1);
    }

    private boolean isSame(int one, int other) {
        return order[begin + one] >> ADDRESS_BITS == order[begin + other] >> ADDRESS_BITS
                && changes.compareKeys(address(one), address(other)) == 0;
    }

    /** The value that a change gives its key; null for a removal, or if the value is kept apart. */
    public @Nullable Slice value(int index) {
        return changes.valueAt(address(index));
    }

    /** The pointer to the value that a change gives its key; null for a removal, or if the value is not kept apart. */
    public @Nullable ValuePointer pointer(int index) {
        return changes.pointerAt(address(index));
    }

    /** How many changes have keys below the given one, or, if {@code inclusive}, not above it. */
    public int countBelow(byte[] key, boolean inclusive) {
        if (size == 0) {
            return 0;
        }
        int start = changes.compareStart(address(0), key, common);
        if (start != 0) {
            return start < 0 ? size : 0;
        }
        long head = common < key.length ? KeyHead.of(key, common, key.length) : 0;
        long bits = (head ^ Long.MIN_VALUE) >> ADDRESS_BITS;
        return Search.firstNot(0, size, i -> {
            int heads = Long.compare(order[begin + i] >> ADDRESS_BITS, bits);
            int found = heads != 0 ? heads : changes.compareKey(address(i), key);
            return found < 0 || (inclusive && found == 0);
        });
    }

    /**
     * Where the changes of a key end, in a direction. There may be any number of changes of one key, so the search makes ever
     * larger steps.
     *
     * @param index index of one of them: of the first or, with step -1, of the last
     * @return index of the first change of another key, in that direction
     */
    public int endOfKey(int index, int step) {
        int end = step > 0 ? size : -1;
        int inside = index;
        int outside = index + step;
        for (int width = 1; outside != end && isSame(index, outside); width *= 2) {
            inside = outside;
            outside = step > 0 ? Math.min(end, outside + width) : Math.max(end, outside - width);
        }
        while (Math.abs(outside - inside) > 1) {
            int middle = (inside + outside) >> 1;
            if (isSame(index, middle)) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        return outside;
    }

    /** The newest change up to an operation, in a range of changes of one key; -1 if there is none. */
    public int newestUpTo(int from, int to, long lsn) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (lsn(middle) <= lsn) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low > from ? low - 1 : -1;
    }

    /**
     * Asks for the memory of the next changes. In the order of keys each of them is elsewhere. If they are asked for together,
     * their lines come together. The result means nothing, and is never negative.
     */
    public int touch(int from) {
        int touched = 0;
        if (from + TOUCHED_AHEAD > touchedEnd) {
            int end = Math.min(size, from + 2 * TOUCHED_AHEAD);
            for (int i = Math.max(from, touchedEnd); i < end; i++) {
                touched |= changes.keyLength(address(i));
            }
            touchedEnd = end;
        }
        return touched;
    }
}
