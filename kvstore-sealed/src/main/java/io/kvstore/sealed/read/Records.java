package io.kvstore.sealed.read;

import io.kvstore.bytes.Checksum;
import io.kvstore.data.KeyOrder;
import io.kvstore.error.CorruptionException;
import io.kvstore.sealed.format.Fence;
import io.kvstore.sealed.format.RecordHead;
import io.kvstore.sealed.format.SealedFormat;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The records of a file. Each is checked whenever it is read. */
final class Records {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** A short record is read with one copy. */
    private static final int FRONT_BYTES = 64;

    private final FileBytes bytes;
    private final Fences fences;
    private final long seed;
    private final long end;
    private final int longestValueBytes;

    /**
     * Knows where records end.
     *
     * @param seed of the checksums
     * @param longestValueBytes a longer value is damage, and takes no memory
     */
    Records(FileBytes bytes, Fences fences, long seed, long end, int longestValueBytes) {
        this.bytes = bytes;
        this.fences = fences;
        this.seed = seed;
        this.end = end;
        this.longestValueBytes = longestValueBytes;
    }

    /** The value of a key, if the record at an offset is the key's; else null. */
    byte @Nullable [] valueOf(byte[] key, long offset) throws IOException {
        long left = end - offset;
        if (offset < SealedFormat.HEADER_BYTES || left <= 0) {
            throw bytes.corrupt(offset, "the locator leads to a place without a record");
        }
        byte[] front = new byte[(int) Math.min(left, Math.max(FRONT_BYTES, RecordHead.MOST_BYTES + key.length))];
        bytes.read(offset, front, front.length);
        long head = RecordHead.read(front, 0, Integer.BYTES, front.length);
        requireLengths(offset, head);
        int keyStart = RecordHead.bytes(head);
        int keyEnd = keyStart + key.length;
        if (RecordHead.keyBytes(head) != key.length || !Arrays.equals(front, keyStart, keyEnd, key, 0, key.length)) {
            requireSound(offset, head);
            return null;
        }
        int recordEnd = keyEnd + RecordHead.valueBytes(head);
        if (recordEnd <= front.length) {
            requireSound(offset, front, 0, recordEnd);
            return Arrays.copyOfRange(front, keyEnd, recordEnd);
        }
        byte[] value = new byte[RecordHead.valueBytes(head)];
        bytes.read(offset + keyEnd, value, value.length);
        CRC32C crc = new CRC32C();
        crc.update(front, Integer.BYTES, keyEnd - Integer.BYTES);
        crc.update(value, 0, value.length);
        if (Checksum.seeded(seed, offset, crc) != (int) INT.get(front, 0)) {
            throw damaged(offset);
        }
        return value;
    }

    private void requireLengths(long offset, long head) {
        if (head == RecordHead.NONE
                || RecordHead.valueBytes(head) > longestValueBytes
                || RecordHead.recordBytes(head) > end - offset) {
            throw damaged(offset);
        }
    }

    /** Checks a record that is not the one that was asked for: with a damaged key it may have been that one. */
    private void requireSound(long offset, long head) throws IOException {
        byte[] record = bytes.read(offset, Math.toIntExact(RecordHead.recordBytes(head)));
        requireSound(offset, record, 0, record.length);
    }

    private void requireSound(long offset, byte[] array, int at, int length) {
        int checksum = Checksum.seeded(seed, offset, array, at + Integer.BYTES, length - Integer.BYTES);
        if (checksum != (int) INT.get(array, at)) {
            throw damaged(offset);
        }
    }

    private CorruptionException damaged(long offset) {
        return bytes.corrupt(offset, "the record is damaged");
    }

    /** Reads all records of a block to an array and checks them. */
    void load(long block, RecordBlock into) throws IOException {
        long start = fences.place(block);
        long length = fences.place(block + 1) - start;
        long most = (long) Fence.SPAN_BYTES + RecordHead.MOST_BYTES + KeyOrder.MAX_KEY_BYTES + longestValueBytes;
        if (start < SealedFormat.HEADER_BYTES || length <= 0 || length > most || length > end - start) {
            throw bytes.corrupt(start, "block " + block + " has " + length + " bytes");
        }
        byte[] array = into.room((int) length);
        bytes.read(start, array, (int) length);
        for (int at = 0; at < length; ) {
            long head = RecordHead.read(array, at, Integer.BYTES, (int) length);
            if (head == RecordHead.NONE || RecordHead.recordBytes(head) > length - at) {
                throw damaged(start + at);
            }
            int recordBytes = (int) RecordHead.recordBytes(head);
            requireSound(start + at, array, at, recordBytes);
            into.add(at + RecordHead.bytes(head), head);
            at += recordBytes;
        }
        if (into.count() != fences.ordinal(block + 1) - fences.ordinal(block)) {
            throw bytes.corrupt(start, "block " + block + " has " + into.count() + " records, which its fence denies");
        }
    }
}
