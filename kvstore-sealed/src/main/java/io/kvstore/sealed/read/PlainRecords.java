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

/** Records that are read alone. Each has a checksum, and its place is its offset. */
final class PlainRecords implements Records {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** A short record is read with one copy. */
    private static final int FRONT_BYTES = 64;

    private final FileBytes bytes;
    private final StoredFences fences;
    private final long seed;
    private final long end;
    private final int longestValueBytes;

    /**
     * Knows where records end.
     *
     * @param seed of the checksums
     * @param longestValueBytes a longer value is damage, and takes no memory
     */
    PlainRecords(FileBytes bytes, StoredFences fences, long seed, long end, int longestValueBytes) {
        this.bytes = bytes;
        this.fences = fences;
        this.seed = seed;
        this.end = end;
        this.longestValueBytes = longestValueBytes;
    }

    @Override
    public byte @Nullable [] valueOf(byte[] key, long offset) throws IOException {
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

    @Override
    public void load(long block, RecordBlock into) throws IOException {
        StoredFences.Extent extent = fences.extent(
                block, (long) Fence.SPAN_BYTES + RecordHead.MOST_BYTES + KeyOrder.MAX_KEY_BYTES + longestValueBytes);
        long start = extent.start();
        int length = extent.bytes();
        byte[] array = into.room(length);
        bytes.read(start, array, length);
        for (int at = 0; at < length; ) {
            long head = RecordHead.read(array, at, Integer.BYTES, length);
            if (head == RecordHead.NONE || RecordHead.recordBytes(head) > length - at) {
                throw damaged(start + at);
            }
            int recordBytes = (int) RecordHead.recordBytes(head);
            requireSound(start + at, array, at, recordBytes);
            into.add(at + RecordHead.bytes(head), head);
            at += recordBytes;
        }
        fences.requireRecords(extent, into.count());
    }

    @Override
    public long placeOf(RecordBlock block, int record) throws IOException {
        return fences.place(block.number()) + block.keyStart(record) - RecordHead.bytes(block.head(record));
    }
}
