package io.kvstore.sealed.format;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.Slice;
import io.kvstore.engine.BlockCodec;
import io.kvstore.error.CorruptionException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** One block in memory, unpacked. For use by one thread, for one block after the other. */
public final class PackedBlock {

    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int FEW_BYTES = 8 << 10;

    /** Records differ in length: this part of a block more is unpacked than its records have on average. */
    private static final int SLACK = 16;

    private final Source source;

    /** The block as it lies in the file, and the payload of one that was packed. */
    private byte[] framed = {};

    private byte[] unpacked = {};
    private int unpackedBytes;

    /** The payload: one of the two. */
    private byte[] array = {};

    private int start;
    private int recordsBytes;
    private int count;
    private int offsetBytes;
    private long blockOffset;

    /** The only record that was found in a block of which just the front is there, or -1; where it begins and ends. */
    private int foundRecord = -1;

    private int foundStart;
    private int foundEnd;

    /**
     * Where blocks are from.
     *
     * @param file named in messages
     * @param seed of the checksums
     * @param mostBytes of a payload; a longer one is damage, and takes no memory
     * @param remedy the end of messages
     */
    public record Source(String file, long seed, BlockCodec codec, long mostBytes, String remedy) {

        CorruptionException corrupt(long offset, String message) {
            return new CorruptionException(file, offset, message + "; " + remedy);
        }
    }

    public PackedBlock(Source source) {
        this.source = source;
    }

    /** An array for a block as it lies in the file. */
    public byte[] room(int bytes) {
        framed = room(framed, bytes);
        return framed;
    }

    /** An array of at least so many bytes. The memory of a much longer one is given back. */
    public static byte[] room(byte[] present, int bytes) {
        return present.length < bytes || present.length > Math.max(FEW_BYTES, 4L * bytes)
                ? new byte[Math.max(bytes, (int) Math.min(FEW_BYTES, 2L * bytes))]
                : present;
    }

    /** The memory that this takes. */
    public long keptBytes() {
        return (long) framed.length + unpacked.length;
    }

    /**
     * Checks and unpacks a block, which is in {@link #room}.
     *
     * @param offset where the block is in the file
     * @param length of the block with its frame
     */
    public void unpack(long offset, int length) {
        if (requireSound(offset, length)) {
            decompress(offset, packed(offset, length));
        }
    }

    /**
     * Checks a block, which is in {@link #room}, and unpacks it up to a record, or all of it.
     * Only that record may be read then.
     *
     * @param offset where the block is in the file
     * @param length of the block with its frame
     * @param record the number of the record
     * @param records how many the block has
     */
    public void unpack(long offset, int length, int record, int records) {
        if (!requireSound(offset, length)) {
            return;
        }
        Slice packed = packed(offset, length);
        int payload = unpackedBytes;
        long recordsLength = Math.max(0, payload - (long) Short.BYTES * (records + 1));
        long near = recordsLength * (record + 1) / records + payload / SLACK;
        int wanted = (int) Math.min(payload, near);
        int done = source.codec().decompressFront(packed, new Slice(unpacked, 0, payload), wanted);
        if (done < wanted) {
            throw undecodable(offset);
        }
        if (done == payload) {
            begin(offset, unpacked, 0, payload);
        } else if (find(record, done)) {
            array = unpacked;
            start = 0;
            recordsBytes = done;
            blockOffset = offset;
            count = records;
        } else {
            decompress(offset, packed);
        }
    }

    /** Looks for a record from the front on, because the offsets are at the end. */
    private boolean find(int record, int end) {
        int at = 0;
        for (int passed = 0; at < end - 1; passed++) {
            int lengths = (short) SHORT.get(unpacked, at);
            long next;
            if ((lengths & 0x8080) == 0) { // two short varints
                next = at + 2L + (lengths & 0x7F) + (lengths >>> Byte.SIZE);
            } else {
                long head = RecordHead.read(unpacked, at, 0, end);
                next = head == RecordHead.NONE ? Long.MAX_VALUE : at + RecordHead.recordBytes(head);
            }
            if (next > end) {
                return false;
            }
            if (passed == record) {
                foundRecord = record;
                foundStart = at;
                foundEnd = (int) next;
                return true;
            }
            at = (int) next;
        }
        return false;
    }

    /** Checks a block. Returns whether it is packed; else its records may be read. */
    private boolean requireSound(long offset, int length) {
        count = 0;
        foundRecord = -1;
        int payload = length - BlockFormat.FRAME_BYTES;
        if (payload <= Short.BYTES
                || (int) INT.get(framed, 0)
                        != Checksum.seeded(source.seed(), offset, framed, Integer.BYTES, length - Integer.BYTES)) {
            throw source.corrupt(offset, "the checksum of a block is wrong");
        }
        int kind = (int) INT.get(framed, 2 * Integer.BYTES);
        if ((int) INT.get(framed, Integer.BYTES) != payload || (kind & ~0xFF00) != BlockFormat.RECORDS) {
            throw source.corrupt(offset, "the frame of a block is not one of records");
        }
        int codec = kind >>> Byte.SIZE;
        if (codec == 0) {
            begin(offset, framed, BlockFormat.FRAME_BYTES, payload);
            return false;
        }
        if (codec != source.codec().id()) {
            throw source.corrupt(offset, "a block is packed by codec " + codec + ", which is not the file's");
        }
        return true;
    }

    /** The packed bytes of a block. Makes room for those it had. */
    private Slice packed(long offset, int length) {
        int packedBytes = length - BlockFormat.FRAME_BYTES;
        ByteReader in = new ByteReader(source.file(), offset, framed, BlockFormat.FRAME_BYTES, packedBytes);
        long payload = packedBytes < Integer.BYTES ? 0 : Integer.toUnsignedLong(in.u32());
        if (!BlockFormat.isBelievable(payload, in.remaining()) || payload > source.mostBytes()) {
            throw source.corrupt(offset, "a block of " + packedBytes + " bytes claims to have " + payload);
        }
        unpackedBytes = (int) payload;
        unpacked = room(unpacked, unpackedBytes);
        return new Slice(framed, BlockFormat.FRAME_BYTES + Integer.BYTES, in.remaining());
    }

    private void decompress(long offset, Slice packed) {
        if (!source.codec().decompress(packed, new Slice(unpacked, 0, unpackedBytes))) {
            throw undecodable(offset);
        }
        begin(offset, unpacked, 0, unpackedBytes);
    }

    private CorruptionException undecodable(long offset) {
        return source.corrupt(
                offset, "a block cannot be decompressed by " + source.codec().name());
    }

    private void begin(long offset, byte[] bytes, int from, int length) {
        int behindRecords = length - Short.BYTES;
        int records = behindRecords < 0 ? 0 : (short) SHORT.get(bytes, from + behindRecords) & 0xFFFF;
        int width = BlockFormat.offsetBytes(Math.max(0, behindRecords - records * Short.BYTES));
        recordsBytes = behindRecords - records * width;
        if (records == 0 || records > BlockFormat.MOST_RECORDS || recordsBytes <= 0) {
            throw source.corrupt(offset, "a block of " + length + " bytes claims to have " + records + " records");
        }
        array = bytes;
        start = from;
        offsetBytes = width;
        blockOffset = offset;
        count = records;
    }

    private int offsetOf(int record) {
        if (foundRecord >= 0) {
            return record == foundRecord ? foundStart : foundEnd;
        }
        if (record == count) {
            return recordsBytes;
        }
        int at = start + recordsBytes + record * offsetBytes;
        return offsetBytes == Short.BYTES ? (short) SHORT.get(array, at) & 0xFFFF : (int) INT.get(array, at);
    }

    public int count() {
        return count;
    }

    /** The array that has the records. */
    public byte[] array() {
        return array;
    }

    /** The front of a record, which has no checksum. */
    public long head(int record) {
        int at = offsetOf(record);
        int end = offsetOf(record + 1);
        long head = at < 0 || at >= end || end > recordsBytes
                ? RecordHead.NONE
                : RecordHead.read(array, start + at, 0, start + end);
        if (head == RecordHead.NONE || RecordHead.recordBytes(head) != end - at) {
            throw source.corrupt(blockOffset, "record " + record + " of a block is not whole");
        }
        return head;
    }

    /** Where the key of a record begins, whose front is {@code head}. */
    public int keyStart(int record, long head) {
        return start + offsetOf(record) + RecordHead.bytes(head);
    }
}
