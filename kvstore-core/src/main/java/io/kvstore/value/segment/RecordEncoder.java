package io.kvstore.value.segment;

import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.Slice;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Writes records in the format of {@link ValueSegmentFormat}. One encoder serves one record after the other. It allocates
 * memory only for a key that is longer than all keys {@linkplain #reserveKey announced} before: a value is written when its
 * operation is in the log already, so a lack of memory must not be possible then. For one thread at a time.
 */
public final class RecordEncoder {

    private static final int LEAST_HEAD_BYTES = 128;
    private static final byte[] NOTHING = {};

    /** The value of padding, which is at most two units long. */
    private static final byte[] ZEROS = new byte[2 * ValueSegmentFormat.SYNCED_UNIT_BYTES];

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final CRC32C checksum = new CRC32C();
    private byte[] headAndKey = new byte[LEAST_HEAD_BYTES];
    private int kind;
    private byte[] key = NOTHING;
    private int keyFrom;
    private int keyBytes;
    private long lsn;
    private byte[] value = NOTHING;
    private int valueFrom;
    private int valueBytes;

    /** Sets the record to a key and its value, put by the write with the given lsn. */
    void set(Slice ofKey, long ofLsn, Slice ofValue) {
        set(ofKey.array(), ofLsn, ofValue.array());
        keyFrom = ofKey.offset();
        keyBytes = ofKey.length();
        valueFrom = ofValue.offset();
        valueBytes = ofValue.length();
    }

    public void set(byte[] ofKey, long ofLsn, byte[] ofValue) {
        kind = ValueSegmentFormat.VALUE;
        key = ofKey;
        keyFrom = 0;
        keyBytes = ofKey.length;
        lsn = ofLsn;
        value = ofValue;
        valueFrom = 0;
        valueBytes = ofValue.length;
    }

    /** Sets the record to padding that is {@code bytes} long with its head. */
    public void setPadding(int bytes) {
        set(NOTHING, 0, ZEROS);
        kind = ValueSegmentFormat.PADDING;
        valueBytes = bytes - ValueSegmentFormat.RECORD_HEAD_BYTES;
    }

    public long bytes() {
        return ValueSegmentFormat.recordBytes(keyBytes, valueBytes);
    }

    /** Allocates the memory that keys of the given length need. */
    public void reserveKey(int bytes) {
        int needed = ValueSegmentFormat.RECORD_HEAD_BYTES + bytes;
        if (needed > headAndKey.length) {
            headAndKey = new byte[Math.max(needed, 2 * headAndKey.length)];
        }
    }

    /** Writes the record, for an offset in its segment, into an array that has room for it. */
    public void write(byte[] target, int at, long seed, long offset) {
        int head = fillHeadAndKey(target, at);
        System.arraycopy(value, valueFrom, target, at + head, valueBytes);
        checksum.reset();
        checksum.update(target, at + Integer.BYTES, (int) bytes() - Integer.BYTES);
        INT.set(target, at, Checksum.seeded(seed, offset, checksum));
    }

    /** The head and the key of the record for an offset in its segment. The next call changes the returned array. */
    public byte[] headAndKey(long seed, long offset) {
        reserveKey(keyBytes);
        int head = fillHeadAndKey(headAndKey, 0);
        checksum.reset();
        checksum.update(headAndKey, Integer.BYTES, head - Integer.BYTES);
        checksum.update(value, valueFrom, valueBytes);
        INT.set(headAndKey, 0, Checksum.seeded(seed, offset, checksum));
        return headAndKey;
    }

    /** How many bytes at the start of {@link #headAndKey} are the head and the key. */
    public int headAndKeyBytes() {
        return ValueSegmentFormat.RECORD_HEAD_BYTES + keyBytes;
    }

    public byte[] valueArray() {
        return value;
    }

    /** The index in {@link #valueArray} at which the value begins. */
    public int valueFrom() {
        return valueFrom;
    }

    public int valueBytes() {
        return valueBytes;
    }

    private int fillHeadAndKey(byte[] target, int at) {
        INT.set(target, at + ValueSegmentFormat.LENGTH, valueBytes);
        LONG.set(target, at + ValueSegmentFormat.LSN, lsn);
        INT.set(target, at + ValueSegmentFormat.KEY_LENGTH, kind << Short.SIZE | keyBytes);
        System.arraycopy(key, keyFrom, target, at + ValueSegmentFormat.RECORD_HEAD_BYTES, keyBytes);
        return headAndKeyBytes();
    }

    /** Forgets the record, so that the collector can free its key and value. */
    public void clear() {
        set(NOTHING, 0, NOTHING);
    }
}
