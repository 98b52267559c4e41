package io.kvstore.bplus.change;

import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyHead;
import io.kvstore.data.Mutation;
import io.kvstore.data.Search;
import io.kvstore.value.segment.ValuePointer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Changes in memory, until they are taken in the order of their keys: those of a part of the log, or those that wait for the
 * tree. They lie one behind the other in a few arrays. An address of 24 bits says where a change is:
 *
 * <pre>
 *   lsn 8 | 2 + bytes of the value, 1 for none 2 | bytes of the key 2 | 1 + address of the one before 4 | key | value
 *   lsn 8 |              0 if it is kept apart 2 | bytes of the key 2 | 1 + address of the one before 4 | key | pointer 20
 * </pre>
 *
 * <p>A change never changes, except for its link to the one before of the same key. That link is read only by threads that
 * learned of the change after {@link #follow} set it. One thread adds changes. Any thread may look at changes that it knows to
 * be there.
 */
public final class ChangeArena {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int REMOVED = -1;
    private static final int APART = -2;
    private static final int LENGTH = Long.BYTES;
    private static final int LENGTH_BIAS = 2;
    private static final int LENGTH_MASK = (1 << Short.SIZE) - 1;
    private static final int BEFORE = LENGTH + Integer.BYTES;
    private static final int KEY = BEFORE + Integer.BYTES;
    private static final int POINTER_BYTES = 2 * Long.BYTES + Integer.BYTES;
    private static final long ADDRESS = SortedChanges.ADDRESS;
    private static final int ARRAY_BITS = 18;
    private static final int ARRAY_BYTES = 1 << ARRAY_BITS;
    private static final int LEAST_ARRAY_BYTES = 1 << 12;

    /** The most bytes that addresses reach. */
    public static final long MAX_BYTES = (ADDRESS + 1) * Long.BYTES;

    private static final int LEAST_CHANGES = 64;

    /** The most bytes of a value that lies here; longer values are kept apart. */
    static final int MAX_VALUE_BYTES = LENGTH_MASK - LENGTH_BIAS;

    private final long maxBytes;
    private byte[][] arrays = new byte[8][];
    private int[] ends = new int[8];
    private int arrayCount;
    private int used = ARRAY_BYTES;
    private long[] order = new long[LEAST_CHANGES];
    private int count;
    private int common;
    private int longestBytes;
    private long recordBytes;
    private long takenBytes = (long) Long.BYTES * LEAST_CHANGES;

    /** @param maxBytes the arena is full when its arrays have this many bytes; at most {@link #MAX_BYTES} */
    public ChangeArena(long maxBytes) {
        if (maxBytes > MAX_BYTES) {
            throw new IllegalArgumentException("addresses reach up to " + MAX_BYTES + " bytes, not " + maxBytes);
        }
        this.maxBytes = maxBytes;
    }

    public int size() {
        return count;
    }

    /** Whether nothing should be added before {@link #clear}. */
    public boolean isFull() {
        return (long) arrayCount * ARRAY_BYTES >= maxBytes;
    }

    /** Bytes of the heap that these changes take. */
    public long heldBytes() {
        long last = arrayCount == 0 ? 0 : lastArray().length;
        return (long) Long.BYTES * order.length + (long) ARRAY_BYTES * Math.max(0, arrayCount - 1) + last;
    }

    /** Bytes of the heap that the arena has, for these changes and for later ones. */
    public long takenBytes() {
        return takenBytes;
    }

    private byte[] lastArray() {
        return arrays[arrayCount - 1];
    }

    int longestBytes() {
        return longestBytes;
    }

    public void addRemoval(byte[] key, long lsn) {
        add(key, lsn, REMOVED, 0);
    }

    /** Adds a change that gives a key a value, which is copied. */
    public void addValue(byte[] key, long lsn, byte[] value) {
        if (value.length > MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("a value of " + value.length + " bytes is to be kept apart");
        }
        int at = add(key, lsn, value.length, value.length);
        System.arraycopy(value, 0, lastArray(), at, value.length);
    }

    /** Adds a change that gives a key a value that is kept apart. The place is given as in a {@link ValuePointer}. */
    public void addPointer(byte[] key, long lsn, long segment, long offset, int valueLength) {
        int at = add(key, lsn, APART, POINTER_BYTES);
        byte[] array = lastArray();
        LONG.set(array, at, segment);
        LONG.set(array, at + Long.BYTES, offset);
        INT.set(array, at + 2 * Long.BYTES, valueLength);
    }

    public static int bytes(Mutation mutation, int leastApartBytes) {
        int keyBytes = mutation.key().length;
        if (mutation instanceof Mutation.Put put) {
            int length = put.value().length;
            return bytes(keyBytes, length < leastApartBytes ? length : POINTER_BYTES);
        }
        return bytes(keyBytes, 0);
    }

    public long recordBytes() {
        return recordBytes;
    }

    /** Reserves memory for changes that are to come, and counts where they would end. */
    public final class Room {

        private int array = arrayCount - 1;
        private int end = used;
        private int changes;

        private Room() {}

        /** Reserves memory for one more change, behind those before. */
        public void add(int bytes) {
            changes++;
            if (end + bytes > ARRAY_BYTES) {
                array++;
                end = 0;
            }
            end += bytes;
            reserveArray(array, end);
            if (count + changes > order.length) {
                reserveOrder(count + changes);
            }
        }
    }

    /** Begins to reserve memory for changes that are to come, so that adding them takes none. */
    public Room room() {
        return new Room();
    }

    /** Reserves memory for one change, as {@link #room} does for several. */
    public void reserve(int bytes) {
        if (!hasRoom(bytes)) {
            room().add(bytes);
        }
    }

    private boolean hasRoom(int bytes) {
        boolean isBehind = used + bytes <= ARRAY_BYTES;
        int index = isBehind ? arrayCount - 1 : arrayCount;
        byte[] array = index < arrays.length ? arrays[index] : null;
        return array != null && (isBehind ? used : 0) + bytes <= array.length && count < order.length;
    }

    private void reserveOrder(int changes) {
        long[] more = Arrays.copyOf(order, Math.max(changes, 2 * order.length));
        VarHandle.storeStoreFence();
        takenBytes += (long) Long.BYTES * (more.length - order.length);
        order = more;
    }

    /** Reserves the bytes of one array. The first is small while there are few changes. One from before may do. */
    private void reserveArray(int index, int end) {
        if (index == arrays.length) {
            byte[][] more = Arrays.copyOf(arrays, 2 * index);
            VarHandle.storeStoreFence(); // a reader that finds a change by one of these finds it by all later ones
            arrays = more;
            ends = Arrays.copyOf(ends, 2 * index);
        }
        byte[] now = arrays[index];
        if (now == null) {
            now = new byte[index == 0 ? Math.max(LEAST_ARRAY_BYTES, end) : ARRAY_BYTES];
            takenBytes += now.length;
            arrays[index] = now;
        } else if (end > now.length) {
            byte[] larger = Arrays.copyOf(now, Math.min(ARRAY_BYTES, 2 * now.length + end));
            VarHandle.storeStoreFence();
            takenBytes += larger.length - now.length;
            arrays[index] = larger;
        }
    }

    /** Adds a change without its payload. Returns where in the last array the payload is to be. */
    private int add(byte[] key, long lsn, int length, int payloadBytes) {
        int bytes = bytes(key.length, payloadBytes);
        reserve(bytes);
        if (used + bytes > ARRAY_BYTES) {
            arrayCount++;
            used = 0;
        }
        int at = used;
        used += bytes;
        ends[arrayCount - 1] = used;
        byte[] array = lastArray();
        LONG.set(array, at, lsn);
        INT.set(array, at + LENGTH, (key.length << Short.SIZE) | (length + LENGTH_BIAS));
        INT.set(array, at + BEFORE, 0);
        System.arraycopy(key, 0, array, at + KEY, key.length);
        leaveOut(key);
        order[count] = (((long) arrayCount - 1) << (ARRAY_BITS - 3)) | (at >>> 3);
        count++;
        recordBytes += bytes;
        longestBytes = Math.max(longestBytes, bytes);
        return at + KEY + key.length;
    }

    /** Shortens the beginning that all keys have in common, if this key shares less of it with the first key. */
    private void leaveOut(byte[] key) {
        int most = count == 0 ? key.length : Math.min(common, key.length);
        int mismatch = Arrays.mismatch(arrays[0], KEY, KEY + most, key, 0, most);
        common = mismatch < 0 ? most : mismatch;
    }

    /** Sorts all changes by their keys. No change is added any more. */
    public SortedChanges sort() {
        return sort(0, count);
    }

    /**
     * Sorts some of the changes by their keys, in place. The range is one of the order in which they came. Nothing may use that
     * order of these changes afterwards.
     */
    public SortedChanges sort(int from, int to) {
        return SortedChanges.sort(this, order, from, to);
    }

    /** As {@link #sort(int, int)}, of a copy. For any thread, of changes that it knows to be there. */
    public SortedChanges sortedCopy(int from, int to) {
        return SortedChanges.sort(this, Arrays.copyOfRange(order, from, to), 0, to - from);
    }

    /** A lower bound of the bytes that all keys have in common at the beginning. */
    int common() {
        return common;
    }

    /** The end of the changes up to an operation, in a range that is in the order in which they came. */
    public int countUpTo(int from, int to, long lsn) {
        return Search.firstNot(from, to, i -> lsnOf(i) <= lsn);
    }

    /** The lsn of a change in a range that is not sorted by keys. */
    public long lsnOf(int index) {
        return lsnAt((int) (order[index] & ADDRESS));
    }

    /** Eight bytes of a key, from the given one on; zeros behind its end. */
    long headAt(int address, int from) {
        int key = at(address) + KEY;
        int length = keyLength(address);
        return from >= length ? 0 : KeyHead.of(arrayOf(address), key + from, key + length);
    }

    int keyLength(int address) {
        return (int) INT.get(arrayOf(address), at(address) + LENGTH) >>> Short.SIZE;
    }

    public int compareKeys(int left, int right) {
        return compareKeys(left, this, right);
    }

    public int compareKeys(int left, ChangeArena others, int right) {
        int leftKey = at(left) + KEY;
        int rightKey = at(right) + KEY;
        return Arrays.compareUnsigned(
                arrayOf(left),
                leftKey,
                leftKey + keyLength(left),
                others.arrayOf(right),
                rightKey,
                rightKey + others.keyLength(right));
    }

    int compareKey(int address, byte[] key) {
        int from = at(address) + KEY;
        return Arrays.compareUnsigned(arrayOf(address), from, from + keyLength(address), key, 0, key.length);
    }

    /** Compares the first bytes of a change's key, which has as many, with those of another key. */
    int compareStart(int address, byte[] key, int bytes) {
        int from = at(address) + KEY;
        return Arrays.compareUnsigned(arrayOf(address), from, from + bytes, key, 0, Math.min(bytes, key.length));
    }

    private byte[] arrayOf(int address) {
        return arrays[address >>> (ARRAY_BITS - 3)];
    }

    private static int at(int address) {
        return (address << 3) & (ARRAY_BYTES - 1);
    }

    private int length(int address) {
        return ((int) INT.get(arrayOf(address), at(address) + LENGTH) & LENGTH_MASK) - LENGTH_BIAS;
    }

    public boolean isRemoval(int address) {
        return length(address) == REMOVED;
    }

    public long lsnAt(int address) {
        return (long) LONG.get(arrayOf(address), at(address));
    }

    /** The value that a change gives its key; null for a removal, or if the value is kept apart. */
    @Nullable
    Slice valueAt(int address) {
        int length = length(address);
        return length < 0 ? null : new Slice(arrayOf(address), at(address) + KEY + keyLength(address), length);
    }

    /** The pointer to the value that a change gives its key; null for a removal, or if the value is not kept apart. */
    public @Nullable ValuePointer pointerAt(int address) {
        if (length(address) != APART) {
            return null;
        }
        byte[] array = arrayOf(address);
        int from = at(address) + KEY + keyLength(address);
        return new ValuePointer((long) LONG.get(array, from), (long) LONG.get(array, from + Long.BYTES), (int)
                INT.get(array, from + 2 * Long.BYTES));
    }

    /** The address of the change before of the same key, as set by {@link #follow}; -1 if there is none. */
    public int before(int address) {
        return (int) INT.get(arrayOf(address), at(address) + BEFORE) - 1;
    }

    /** Links a change to the one before of the same key; -1 for none. */
    public void follow(int address, int before) {
        INT.set(arrayOf(address), at(address) + BEFORE, before + 1);
    }

    /** The address of the change that was added last, for {@link #isOf} and {@link #found}. */
    public int newest() {
        return (int) (order[count - 1] & ADDRESS);
    }

    /** Shows the addresses of all changes, in the order in which they were added, sorted or not. */
    public void forEach(IntConsumer visitor) {
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

    /** Whether a change is of this key. For any thread that learned the address after the change was added. */
    public boolean isOf(int address, byte[] key) {
        byte[] array = arrayOf(address);
        int at = at(address);
        int length = (int) INT.get(array, at + LENGTH) >>> Short.SIZE;
        return length == key.length && Arrays.equals(array, at + KEY, at + KEY + length, key, 0, length);
    }

    /** The key of a change, copied. For any thread that learned the address after the change was added. */
    public byte[] keyAt(int address) {
        int from = at(address) + KEY;
        return Arrays.copyOfRange(arrayOf(address), from, from + keyLength(address));
    }

    /** The contents of a change, copied. For any thread that learned the address after the change was added. */
    public Found found(int address) {
        Slice value = valueAt(address);
        return new Found(lsnAt(address), value == null ? null : value.toWholeArray(), pointerAt(address));
    }

    /** The contents of a change without its key: lsn, and a value or the pointer to one. A removal has neither. */
    public record Found(
            long lsn, byte @Nullable [] value, @Nullable ValuePointer pointer) {}

    public void clear() {
        arrays = new byte[8][];
        order = new long[LEAST_CHANGES];
        takenBytes = (long) Long.BYTES * LEAST_CHANGES;
        clearKeepingMemory();
    }

    /** Forgets all changes, and keeps their memory for others. No other thread may know the address of one of them. */
    public void clearKeepingMemory() {
        arrayCount = 0;
        used = ARRAY_BYTES;
        count = 0;
        longestBytes = 0;
        recordBytes = 0;
    }
}
