package io.kvstore.bplus;

import io.kvstore.data.KeyHead;
import io.kvstore.data.KeySort;
import io.kvstore.io.Slice;
import io.kvstore.value.ValuePointer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Changes in memory until they are taken in the order of their keys: those of a part of the log, or those that wait for the
 * tree. They lie one behind the other in a few arrays, each where an address of 24 bits says:
 *
 * <pre>
 *   lsn 8 | bytes of the value, or -2 if it is kept apart, or -1 if there is none 4 | bytes of the key 4 | key | value
 *   lsn 8 |                                                                     -2 4 | bytes of the key 4 | key | pointer 20
 * </pre>
 *
 * <p>What is sorted is one number for each: above the address 40 bits of the key, behind what all keys have in common. So
 * nearly all of the sorting touches nothing but these numbers; only of keys that agree in those bits the rest is looked at.
 * Changes of one key stay in the order of the log, for the address decides.
 */
final class LoggedChanges {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int REMOVED = -1;
    private static final int APART = -2;
    private static final int LENGTH = Long.BYTES;
    private static final int KEY_LENGTH = LENGTH + Integer.BYTES;
    private static final int KEY = KEY_LENGTH + Integer.BYTES;
    private static final int POINTER_BYTES = 2 * Long.BYTES + Integer.BYTES;
    private static final int ADDRESS_BITS = 24;
    private static final long ADDRESS = (1L << ADDRESS_BITS) - 1;
    private static final int ARRAY_BITS = 18;
    private static final int ARRAY_BYTES = 1 << ARRAY_BITS;
    private static final int LEAST_ARRAY_BYTES = 1 << 12;

    /** As much as an address reaches. */
    static final long MAX_BYTES = (ADDRESS + 1) * Long.BYTES;

    private static final int LEAST_CHANGES = 64;
    private static final int TOUCHED_AHEAD = 64;

    private final ByRest byRest = new ByRest();
    private final long maxBytes;
    private byte[][] arrays = new byte[8][];
    private int[] ends = new int[8];
    private int arrayCount;
    private int used = ARRAY_BYTES;
    private long[] order = new long[LEAST_CHANGES];
    private int count;
    private byte[] first = {};
    private int common;
    private int longestBytes;
    private int touchedEnd;

    /** @param maxBytes is full when it takes so much, at most {@link #MAX_BYTES} */
    LoggedChanges(long maxBytes) {
        if (maxBytes > MAX_BYTES) {
            throw new IllegalArgumentException("addresses reach up to " + MAX_BYTES + " bytes, not " + maxBytes);
        }
        this.maxBytes = maxBytes;
    }

    int size() {
        return count;
    }

    /** Whether nothing should be added before {@link #clear}. */
    boolean isFull() {
        return (long) arrayCount * ARRAY_BYTES >= maxBytes;
    }

    /** The heap that it takes. */
    long heldBytes() {
        long last = arrayCount == 0 ? 0 : lastArray().length;
        return (long) Long.BYTES * order.length + (long) ARRAY_BYTES * Math.max(0, arrayCount - 1) + last;
    }

    private byte[] lastArray() {
        return arrays[arrayCount - 1];
    }

    /** What the longest change takes. */
    int longestBytes() {
        return longestBytes;
    }

    /** Adds a change that removes a key. */
    void addRemoval(byte[] key, long lsn) {
        add(key, lsn, REMOVED, 0);
    }

    /** Adds a change that gives a key a value, which is copied. */
    void addValue(byte[] key, long lsn, byte[] value) {
        int at = add(key, lsn, value.length, value.length);
        System.arraycopy(value, 0, lastArray(), at, value.length);
    }

    /** Adds a change that gives a key a value that is kept apart. */
    void addPointer(byte[] key, long lsn, ValuePointer pointer) {
        int at = add(key, lsn, APART, POINTER_BYTES);
        byte[] array = lastArray();
        LONG.set(array, at, pointer.segment());
        LONG.set(array, at + Long.BYTES, pointer.offset());
        INT.set(array, at + 2 * Long.BYTES, pointer.valueLength());
    }

    /** Returns where in the last array the payload is to be. */
    private int add(byte[] key, long lsn, int length, int payloadBytes) {
        int bytes = bytes(key.length, payloadBytes);
        if (count == 0) {
            first = key.clone();
            common = key.length;
        } else {
            int mismatch = Arrays.mismatch(first, 0, common, key, 0, Math.min(common, key.length));
            common = mismatch < 0 ? common : mismatch;
        }
        int at = take(bytes);
        byte[] array = lastArray();
        LONG.set(array, at, lsn);
        INT.set(array, at + LENGTH, length);
        INT.set(array, at + KEY_LENGTH, key.length);
        System.arraycopy(key, 0, array, at + KEY, key.length);
        if (count == order.length) {
            order = Arrays.copyOf(order, 2 * count);
        }
        order[count] = (((long) arrayCount - 1) << (ARRAY_BITS - 3)) | (at >>> 3);
        count++;
        longestBytes = Math.max(longestBytes, bytes);
        return at + KEY + key.length;
    }

    /** Has room for so many bytes in the last array, and says where. */
    private int take(int bytes) {
        if (used + bytes > ARRAY_BYTES) {
            if (arrayCount == arrays.length) {
                byte[][] more = Arrays.copyOf(arrays, 2 * arrayCount);
                VarHandle.storeStoreFence(); // who finds a change that is in one of them finds it in all that follow
                arrays = more;
                ends = Arrays.copyOf(ends, 2 * arrayCount);
            }
            int least = arrayCount == 0 ? Math.max(LEAST_ARRAY_BYTES, bytes) : ARRAY_BYTES;
            byte[] kept = arrays[arrayCount];
            arrays[arrayCount] = kept == null || kept.length < least ? new byte[least] : kept;
            arrayCount++;
            used = 0;
        } else if (used + bytes > lastArray().length) {
            byte[] small = lastArray();
            byte[] larger = Arrays.copyOf(small, Math.min(ARRAY_BYTES, 2 * small.length + bytes));
            VarHandle.storeStoreFence();
            arrays[arrayCount - 1] = larger;
        }
        int at = used;
        used += bytes;
        ends[arrayCount - 1] = used;
        return at;
    }

    /** Brings the changes into the order of their keys, and those of one key into that of the log. */
    void sort() {
        for (int i = 0; i < count; i++) {
            long address = order[i];
            byte[] array = arrayOf(address);
            int key = at(address) + KEY;
            long head = KeyHead.of(array, key + common, key + keyLength(address));
            order[i] = ((head ^ Long.MIN_VALUE) & ~ADDRESS) | address;
        }
        Arrays.sort(order, 0, count);
        int from = 0;
        for (int i = 1; i <= count; i++) {
            if (i == count || order[i] >> ADDRESS_BITS != order[from] >> ADDRESS_BITS) {
                if (i - from > 1) {
                    sortByRest(from, i);
                }
                from = i;
            }
        }
    }

    /** Some that agree in what was sorted by, hardly ever many. */
    private void sortByRest(int from, int to) {
        int[] addresses = new int[to - from];
        Arrays.setAll(addresses, i -> (int) (order[from + i] & ADDRESS));
        int[] sorted = KeySort.sorted(addresses, byRest);
        for (int i = from; i < to; i++) {
            order[i] = (order[i] & ~ADDRESS) | sorted[i - from];
        }
    }

    /** Changes by their addresses, which decide where keys are the same. */
    private final class ByRest implements KeySort.Keys {

        @Override
        public long headFrom(int address, int from) {
            int key = at(address) + KEY;
            int length = LoggedChanges.this.keyLength(address);
            return from >= length ? 0 : KeyHead.of(arrayOf(address), key + from, key + length);
        }

        @Override
        public int keyLength(int address) {
            return LoggedChanges.this.keyLength(address);
        }

        @Override
        public int compare(int left, int right) {
            int keys = compareKeys(left, right);
            return keys != 0 ? keys : Integer.compare(left, right);
        }
    }

    private int compareKeys(long left, long right) {
        int leftKey = at(left) + KEY;
        int rightKey = at(right) + KEY;
        return Arrays.compareUnsigned(
                arrayOf(left),
                leftKey,
                leftKey + keyLength(left),
                arrayOf(right),
                rightKey,
                rightKey + keyLength(right));
    }

    private byte[] arrayOf(long one) {
        return arrays[(int) ((one & ADDRESS) >>> (ARRAY_BITS - 3))];
    }

    private static int at(long one) {
        return (int) (one << 3) & (ARRAY_BYTES - 1);
    }

    private int keyLength(long one) {
        return (int) INT.get(arrayOf(one), at(one) + KEY_LENGTH);
    }

    private int length(long one) {
        return (int) INT.get(arrayOf(one), at(one) + LENGTH);
    }

    /**
     * Asks for the memory of the changes that follow one: in the order of keys each is elsewhere, and asked for together their
     * lines come together. The result means nothing, and is never negative.
     */
    int touch(int from) {
        int touched = 0;
        if (from + TOUCHED_AHEAD > touchedEnd) {
            int end = Math.min(count, from + 2 * TOUCHED_AHEAD);
            for (int i = Math.max(from, touchedEnd); i < end; i++) {
                touched |= keyLength(order[i]);
            }
            touchedEnd = end;
        }
        return touched;
    }

    /** The key of a change, as a fresh array. */
    byte[] key(int index) {
        return keyAt((int) (order[index] & ADDRESS));
    }

    /** The operation of a change. */
    long lsn(int index) {
        return (long) LONG.get(arrayOf(order[index]), at(order[index]));
    }

    /** Whether no newer change of the same key is there; after {@link #sort}. */
    boolean isNewest(int index) {
        return index + 1 == count
                || order[index] >> ADDRESS_BITS != order[index + 1] >> ADDRESS_BITS
                || compareKeys(order[index], order[index + 1]) != 0;
    }

    /** The value that a change gives its key; null if it gives none, or one that is kept apart. */
    @Nullable
    Slice value(int index) {
        return valueOf(order[index]);
    }

    private @Nullable Slice valueOf(long one) {
        int length = length(one);
        return length < 0 ? null : new Slice(arrayOf(one), at(one) + KEY + keyLength(one), length);
    }

    /** Where the value is that a change gives its key; null if it gives none, or one that is not kept apart. */
    @Nullable
    ValuePointer pointer(int index) {
        return pointerOf(order[index]);
    }

    /** Where the value is that a change gives its key; as {@link #pointer}, and as {@link #found}. */
    @Nullable
    ValuePointer pointerAt(int address) {
        return pointerOf(address);
    }

    private @Nullable ValuePointer pointerOf(long one) {
        if (length(one) != APART) {
            return null;
        }
        byte[] array = arrayOf(one);
        int from = at(one) + KEY + keyLength(one);
        return new ValuePointer((long) LONG.get(array, from), (long) LONG.get(array, from + Long.BYTES), (int)
                INT.get(array, from + 2 * Long.BYTES));
    }

    /** Where the change is that was added last, for {@link #isOf} and {@link #found}. */
    int newest() {
        return (int) (order[count - 1] & ADDRESS);
    }

    /** Shows where all changes are, in the order in which they were added, sorted or not. */
    void forEach(IntConsumer visitor) {
        for (int i = 0; i < arrayCount; i++) {
            int at = 0;
            while (at < ends[i]) {
                int address = (i << (ARRAY_BITS - 3)) | (at >>> 3);
                visitor.accept(address);
                int length = length(address);
                int payload = length == APART ? POINTER_BYTES : Math.max(0, length);
                at += bytes(keyLength(address), payload);
            }
        }
    }

    private static int bytes(int keyBytes, int payloadBytes) {
        return (KEY + keyBytes + payloadBytes + Long.BYTES - 1) & -Long.BYTES;
    }

    /** Whether a change is of this key; for any thread that learned where the change is after it was added. */
    boolean isOf(int address, byte[] key) {
        byte[] array = arrayOf(address);
        int at = at(address);
        int length = (int) INT.get(array, at + KEY_LENGTH);
        return length == key.length && Arrays.equals(array, at + KEY, at + KEY + length, key, 0, length);
    }

    /** The key of a change, copied; the same. */
    byte[] keyAt(int address) {
        int from = at(address) + KEY;
        return Arrays.copyOfRange(arrayOf(address), from, from + keyLength(address));
    }

    /** What a change says, copied; for any thread that learned where the change is after it was added. */
    Found found(int address) {
        Slice value = valueOf(address);
        return new Found(
                (long) LONG.get(arrayOf(address), at(address)),
                value == null ? null : value.toWholeArray(),
                pointerOf(address));
    }

    /**
     * What a change says of its key, which has no value if it says nothing of one.
     *
     * @param lsn of its operation
     * @param value if it is here
     * @param pointer if it is kept apart
     */
    record Found(
            long lsn, byte @Nullable [] value, @Nullable ValuePointer pointer) {}

    /** Forgets all changes. */
    void clear() {
        arrays = new byte[8][];
        order = new long[LEAST_CHANGES];
        clearKeepingMemory();
    }

    /** Forgets all changes, and takes the memory of these for others; nobody else may know where one of them was. */
    void clearKeepingMemory() {
        arrayCount = 0;
        used = ARRAY_BYTES;
        count = 0;
        longestBytes = 0;
        touchedEnd = 0;
    }
}
