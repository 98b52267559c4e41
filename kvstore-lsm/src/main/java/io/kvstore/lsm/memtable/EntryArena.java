package io.kvstore.lsm.memtable;

import io.kvstore.bytes.ByteCopy;
import io.kvstore.data.KeyHead;
import io.kvstore.data.KeySort;
import io.kvstore.data.Mutation;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.value.ValueLog;
import io.kvstore.value.segment.ValuePointer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The entries of a memtable, each at the place where it was written, and the comparison that orders them: by key, and
 * within a key from the newest lsn to the oldest. An entry never changes. Short values lie in chunks of their own, so that
 * a search touches few pages. Long values go to value segments, and their entries have pointers.
 *
 * <pre>
 *   0 head of the key, 8 lsn, 16 place of the value, or offset of its record in the segment, 20 length of the value,
 *  24 key length u16, index of the segment 14 bits, kind 2 bits, 28 the key from its ninth byte on
 * </pre>
 */
final class EntryArena implements KeySort.Keys {

    /** The most segments that a memtable can point into. */
    static final int MAX_SEGMENTS = 1 << 14;

    private static final int TAIL = 28;
    private static final int SEGMENT_SHIFT = 16;
    private static final int KIND_SHIFT = 30;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfLong BIG_LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final VarHandle KEY_LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final ChunkArena entries;
    private final ChunkArena values;
    private final ValueLog apart;
    private final int apartFromBytes;
    private volatile long[] segments = {};
    private volatile int segmentCount;
    private long apartBytes;
    private long tombstones;

    /** @param apart takes values of at least {@code apartFromBytes} bytes */
    EntryArena(ChunkArena entries, ChunkArena values, ValueLog apart, int apartFromBytes) {
        this.entries = entries;
        this.values = values;
        this.apart = apart;
        this.apartFromBytes = apartFromBytes;
    }

    /** The memory of a mutation's entry, without its value. */
    static long entryBytes(Mutation mutation) {
        return ChunkArena.rounded(TAIL + Math.max(0, mutation.key().length - KeyHead.BYTES));
    }

    /** The memory that a mutation's value takes in this arena. */
    long valueBytes(Mutation mutation) {
        return mutation instanceof Mutation.Put put && put.value().length < apartFromBytes
                ? ChunkArena.rounded(put.value().length)
                : 0;
    }

    /** Writes an entry, for which there must be room. Returns its place. */
    int add(long lsn, long head, Mutation mutation) {
        byte[] key = mutation.key();
        int tail = Math.max(0, key.length - KeyHead.BYTES);
        int entry = entries.allocate((long) TAIL + tail);
        MemorySegment segment = entries.segment(entry);
        long offset = entries.offset(entry);
        segment.set(LONG, offset, head);
        segment.set(LONG, offset + 8, lsn);
        int shape = EntryKind.TOMBSTONE << KIND_SHIFT;
        if (mutation instanceof Mutation.Put put) {
            byte[] value = put.value();
            segment.set(INT, offset + 20, value.length);
            if (value.length >= apartFromBytes) {
                segment.set(INT, offset + 16, Math.toIntExact(apart.add(key, lsn, value)));
                apartBytes += ValuePointer.recordBytes(key.length, value.length);
                shape = EntryKind.VALUE_POINTER << KIND_SHIFT | indexOf(apart.addedTo()) << SEGMENT_SHIFT;
            } else {
                shape = EntryKind.INLINE << KIND_SHIFT;
                segment.set(INT, offset + 16, inline(value));
            }
        } else {
            tombstones++;
        }
        segment.set(INT, offset + 24, key.length | shape);
        if (tail > 0) {
            ByteCopy.toSegment(key, KeyHead.BYTES, segment, offset + TAIL, tail);
        }
        return entry;
    }

    private int inline(byte[] value) {
        if (value.length == 0) {
            return 0;
        }
        int place = values.allocate(value.length);
        ByteCopy.toSegment(value, 0, values.segment(place), values.offset(place), value.length);
        return place;
    }

    /** Makes room in the list of segments before entries are added. Each of their values may be the first of a segment. */
    void prepare(int additions) {
        int wanted = Math.min(segmentCount + additions, MAX_SEGMENTS);
        if (wanted > segments.length) {
            segments = Arrays.copyOf(segments, Math.min(Math.max(wanted, 2 * segments.length), MAX_SEGMENTS));
        }
    }

    private int indexOf(long number) {
        int count = segmentCount;
        if (count > 0 && segments[count - 1] == number) {
            return count - 1;
        }
        if (count == MAX_SEGMENTS) {
            throw new IllegalStateException("a memtable has values in more than " + MAX_SEGMENTS + " segments");
        }
        segments[count] = number;
        segmentCount = count + 1;
        return count;
    }

    int segmentCount() {
        return segmentCount;
    }

    long segment(int index) {
        return segments[index];
    }

    long[] segments() {
        return Arrays.copyOf(segments, segmentCount);
    }

    long apartBytes() {
        return apartBytes;
    }

    long tombstones() {
        return tombstones;
    }

    /** Compares an entry with a key and an lsn; their heads are equal. */
    int compare(int entry, byte[] key, long lsn) {
        int order = compareTails(entry, key);
        return order != 0 ? order : Long.compare(lsn, lsn(entry));
    }

    /** Compares an entry's key with a key; their heads are equal. */
    int compareTails(int entry, byte[] key) {
        MemorySegment segment = entries.segment(entry);
        long offset = entries.offset(entry);
        int length = segment.get(INT, offset + 24) & 0xFFFF;
        int most = Math.min(length, key.length);
        long tail = offset + TAIL - KeyHead.BYTES;
        int i = KeyHead.BYTES;
        for (; i + Long.BYTES <= most; i += Long.BYTES) {
            long left = segment.get(BIG_LONG, tail + i);
            long right = (long) KEY_LONG.get(key, i);
            if (left != right) {
                return Long.compareUnsigned(left, right);
            }
        }
        for (; i < most; i++) {
            int left = segment.get(ValueLayout.JAVA_BYTE, tail + i) & 0xFF;
            int right = key[i] & 0xFF;
            if (left != right) {
                return left - right;
            }
        }
        return length - key.length;
    }

    @Override
    public int compare(int left, int right) {
        int order = Long.compareUnsigned(head(left), head(right));
        return order != 0 ? order : compareAlike(left, right);
    }

    int compareAlike(int left, int right) {
        int leftLength = keyLength(left);
        int rightLength = keyLength(right);
        int order = leftLength - rightLength;
        if (leftLength > KeyHead.BYTES && rightLength > KeyHead.BYTES) {
            order = compareTails(left, leftLength, right, rightLength);
        }
        return order != 0 ? order : Long.compare(lsn(right), lsn(left));
    }

    private int compareTails(int left, int leftLength, int right, int rightLength) {
        MemorySegment leftSegment = entries.segment(left);
        MemorySegment rightSegment = entries.segment(right);
        long leftTail = entries.offset(left) + TAIL;
        long rightTail = entries.offset(right) + TAIL;
        int most = Math.min(leftLength, rightLength) - KeyHead.BYTES;
        int i = 0;
        for (; i + Long.BYTES <= most; i += Long.BYTES) {
            long leftWord = leftSegment.get(BIG_LONG, leftTail + i);
            long rightWord = rightSegment.get(BIG_LONG, rightTail + i);
            if (leftWord != rightWord) {
                return Long.compareUnsigned(leftWord, rightWord);
            }
        }
        for (; i < most; i++) {
            int order = (leftSegment.get(ValueLayout.JAVA_BYTE, leftTail + i) & 0xFF)
                    - (rightSegment.get(ValueLayout.JAVA_BYTE, rightTail + i) & 0xFF);
            if (order != 0) {
                return order;
            }
        }
        return leftLength - rightLength;
    }

    long head(int entry) {
        return entries.segment(entry).get(LONG, entries.offset(entry));
    }

    @Override
    public long headFrom(int entry, int from) {
        if (from == 0) {
            return head(entry);
        }
        MemorySegment segment = entries.segment(entry);
        long at = entries.offset(entry) + TAIL - KeyHead.BYTES + from;
        int bytes = Math.min(KeyHead.BYTES, keyLength(entry) - from);
        if (bytes == KeyHead.BYTES) {
            return segment.get(BIG_LONG, at);
        }
        long head = 0;
        for (int i = 0; i < bytes; i++) {
            head |= (segment.get(ValueLayout.JAVA_BYTE, at + i) & 0xFFL) << (56 - 8 * i);
        }
        return head;
    }

    long lsn(int entry) {
        return entries.segment(entry).get(LONG, entries.offset(entry) + 8);
    }

    int kind(int entry) {
        return entries.segment(entry).get(INT, entries.offset(entry) + 24) >>> KIND_SHIFT;
    }

    @Override
    public int keyLength(int entry) {
        return entries.segment(entry).get(INT, entries.offset(entry) + 24) & 0xFFFF;
    }

    int valueLength(int entry) {
        return entries.segment(entry).get(INT, entries.offset(entry) + 20);
    }

    void copyKey(int entry, KeyBuffer target) {
        MemorySegment segment = entries.segment(entry);
        long offset = entries.offset(entry);
        int length = segment.get(INT, offset + 24) & 0xFFFF;
        byte[] bytes = target.room(Math.max(length, KeyHead.BYTES));
        KEY_LONG.set(bytes, 0, segment.get(LONG, offset));
        if (length > KeyHead.BYTES) {
            ByteCopy.toArray(segment, offset + TAIL, bytes, KeyHead.BYTES, length - KeyHead.BYTES);
        }
        target.filled(length);
    }

    /** The pointer of an entry whose value is kept apart. */
    ValuePointer pointer(int entry) {
        MemorySegment segment = entries.segment(entry);
        long offset = entries.offset(entry);
        int index = segment.get(INT, offset + 24) >>> SEGMENT_SHIFT & MAX_SEGMENTS - 1;
        return new ValuePointer(segments[index], segment.get(INT, offset + 16), segment.get(INT, offset + 20));
    }

    /** The value of an inline entry, as a fresh array. */
    byte[] value(int entry) {
        byte[] value = new byte[valueLength(entry)];
        copyValue(entry, value);
        return value;
    }

    void copyValue(int entry, byte[] target) {
        int length = valueLength(entry);
        if (length > 0) {
            int place = entries.segment(entry).get(INT, entries.offset(entry) + 16);
            ByteCopy.toArray(values.segment(place), values.offset(place), target, 0, length);
        }
    }
}
