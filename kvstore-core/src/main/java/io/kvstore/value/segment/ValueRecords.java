package io.kvstore.value.segment;

import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.Slice;
import io.kvstore.error.CorruptionException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Takes values out of the records of one segment. A record is checked each time it is read. Its checksum covers its place, so
 * a record with the right checksum is the one that was written there. Its key and lsn must be those of the entry that points
 * to it.
 */
public record ValueRecords(String path, long seed) {

    private static final int HEAD = ValueSegmentFormat.RECORD_HEAD_BYTES;

    /** A head and a key that is not long come with one read. */
    static final int USUAL_HEAD_AND_KEY_BYTES = HEAD + 64;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /**
     * The entry that points to a record.
     *
     * @param key holds the key, from its first byte on
     * @param lsn of the entry, or {@link ValueSegment#ANY_LSN}
     */
    public record Owner(byte[] key, int keyLength, long lsn) {}

    /** The value of a record that is whole in an array, copied to a fresh array. */
    byte[] value(ValuePointer pointer, byte[] record, int at, Owner owner) {
        return slice(pointer, record, at, owner).toArray();
    }

    /** The value of a record that is whole in an array, without a copy. */
    public Slice slice(ValuePointer pointer, byte[] record, int at, Owner owner) {
        int bytes = (int) pointer.recordBytes(owner.keyLength);
        int checked = bytes - Integer.BYTES;
        check(
                pointer.offset(),
                record,
                at,
                Checksum.seeded(seed, pointer.offset(), record, at + Integer.BYTES, checked));
        checkIsMeant(pointer, record, at, owner);
        int head = HEAD + owner.keyLength;
        return new Slice(record, at + head, bytes - head);
    }

    /** The length of the value, if the head and key of a record have the given key; else -1. */
    public static int lengthOfValue(Slice headAndKey, byte[] key) {
        byte[] bytes = headAndKey.array();
        int at = headAndKey.offset();
        boolean isThatKey = ValueSegmentFormat.keyLength(bytes, at) == key.length
                && Arrays.equals(bytes, at + HEAD, at + HEAD + key.length, key, 0, key.length);
        return isThatKey ? ValueSegmentFormat.valueLength(bytes, at) : -1;
    }

    /** Whether the record at an offset of the memory is a key's. The record is not checked. */
    static Probe.Answer probe(MemorySegment memory, long offset, byte[] key, Probe into) {
        long keyAt = offset + HEAD;
        if (keyAt > memory.byteSize()) {
            return Probe.Answer.UNKNOWN;
        }
        if ((memory.get(SHORT, offset + ValueSegmentFormat.KEY_LENGTH) & 0xFFFF) != key.length) {
            return Probe.Answer.OTHER_KEY;
        }
        if (keyAt + key.length > memory.byteSize()) {
            return Probe.Answer.UNKNOWN;
        }
        for (int i = 0; i < key.length; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, keyAt + i) != key[i]) {
                return Probe.Answer.OTHER_KEY;
            }
        }
        into.found(
                memory.get(INT, offset + ValueSegmentFormat.LENGTH), memory.get(LONG, offset + ValueSegmentFormat.LSN));
        return Probe.Answer.SAME_KEY;
    }

    /** As {@link #probe}, in an array that has the head and as many bytes as the key has. */
    public static Probe.Answer probe(Slice headAndKey, byte[] key, Probe into) {
        int length = lengthOfValue(headAndKey, key);
        if (length < 0) {
            return Probe.Answer.OTHER_KEY;
        }
        into.found(length, ValueSegmentFormat.lsn(headAndKey.array(), headAndKey.offset()));
        return Probe.Answer.SAME_KEY;
    }

    /** The record that an array has, checked. */
    public ValueRecord recordOf(long offset, byte[] record) {
        check(offset, record, record.length);
        return meant(offset, record);
    }

    /** The parts of a record that was checked and to which an entry leads: it has to be a value. */
    ValueRecord meant(long offset, byte[] record) {
        if (ValueSegmentFormat.kindAndFlags(record, 0) != ValueSegmentFormat.VALUE) {
            throw corrupt(offset, "padding is where a pointer leads");
        }
        return unpack(record);
    }

    /** The parts of a record that was checked. */
    static ValueRecord unpack(byte[] record) {
        int keyEnd = HEAD + ValueSegmentFormat.keyLength(record, 0);
        return new ValueRecord(
                Arrays.copyOfRange(record, HEAD, keyEnd),
                ValueSegmentFormat.lsn(record, 0),
                Arrays.copyOfRange(record, keyEnd, record.length));
    }

    /** The length of the record that begins with a head. */
    public static long recordBytes(Slice head) {
        return ValueSegmentFormat.recordBytes(
                ValueSegmentFormat.keyLength(head.array(), head.offset()),
                ValueSegmentFormat.valueLength(head.array(), head.offset()));
    }

    /** The length of the head and key of the record that begins with a head. */
    public static int headAndKeyBytes(Slice head) {
        return HEAD + ValueSegmentFormat.keyLength(head.array(), head.offset());
    }

    /** What a record says of itself whose head and key are given. It is not checked. */
    public static ValueRecord.Head headOf(Slice headAndKey) {
        byte[] bytes = headAndKey.array();
        int at = headAndKey.offset();
        byte[] key = Arrays.copyOfRange(bytes, at + HEAD, at + headAndKeyBytes(headAndKey));
        return new ValueRecord.Head(key, ValueSegmentFormat.lsn(bytes, at), ValueSegmentFormat.valueLength(bytes, at));
    }

    /** Takes the value of a key and its lsn from a whole record. The record may have any lsn. */
    public StoredValue valueOf(ValuePointer pointer, Slice record, byte[] key) {
        long lsn = ValueSegmentFormat.lsn(record.array(), record.offset());
        Owner owner = new Owner(key, key.length, lsn);
        return new StoredValue(value(pointer, record.array(), record.offset(), owner), lsn);
    }

    /** Checks a record whose head and key are in one array and whose value is the other array. */
    void check(ValuePointer pointer, byte[] headAndKey, byte[] value, Owner owner) {
        Slice checked = new Slice(headAndKey, Integer.BYTES, HEAD + owner.keyLength - Integer.BYTES);
        check(pointer.offset(), headAndKey, 0, Checksum.seeded(seed, pointer.offset(), checked, Slice.of(value)));
        checkIsMeant(pointer, headAndKey, 0, owner);
    }

    /** Checks a record whose head and key begin an array. All of it behind its checksum was added to {@code crc}. */
    void check(ValuePointer pointer, byte[] headAndKey, CRC32C crc, Owner owner) {
        check(pointer.offset(), headAndKey, 0, Checksum.seeded(seed, pointer.offset(), crc));
        checkIsMeant(pointer, headAndKey, 0, owner);
    }

    /** Checks a record that takes the first {@code bytes} bytes of an array. */
    void check(long offset, byte[] record, int bytes) {
        check(offset, record, 0, Checksum.seeded(seed, offset, record, Integer.BYTES, bytes - Integer.BYTES));
    }

    private void check(long offset, byte[] record, int at, int checksum) {
        if (ValueSegmentFormat.checksum(record, at) != checksum) {
            throw corrupt(offset, "a value's checksum is wrong");
        }
        int kind = ValueSegmentFormat.kindAndFlags(record, at);
        if (kind != ValueSegmentFormat.VALUE && kind != ValueSegmentFormat.PADDING) {
            throw corrupt(offset, "a value has a kind or flags that are not known here");
        }
    }

    private void checkIsMeant(ValuePointer pointer, byte[] record, int at, Owner owner) {
        boolean isMeant = ValueSegmentFormat.kindAndFlags(record, at) == ValueSegmentFormat.VALUE
                && ValueSegmentFormat.valueLength(record, at) == pointer.valueLength()
                && ValueSegmentFormat.keyLength(record, at) == owner.keyLength
                && (owner.lsn == ValueSegment.ANY_LSN || ValueSegmentFormat.lsn(record, at) == owner.lsn)
                && Arrays.equals(record, at + HEAD, at + HEAD + owner.keyLength, owner.key, 0, owner.keyLength);
        if (!isMeant) {
            throw corrupt(pointer.offset(), "the value of another entry is where a pointer leads");
        }
    }

    /** If a sync failed, bytes that it should have made durable are not damaged: they were never there. */
    IOException lost(CorruptionException damage, @Nullable IOException failedSync) {
        if (failedSync == null) {
            throw damage;
        }
        return new IOException(path + " lost what it had not synced: " + damage.getMessage(), failedSync);
    }

    public CorruptionException corrupt(long offset, String message) {
        return new CorruptionException(path, offset, message);
    }
}
