package io.kvstore.wal.format;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The bytes of a log segment. All numbers are little-endian. {@code docs/file-formats.md} has a drawing.
 *
 * <p>A frame's header checksum is seeded with the segment's id and the frame's offset, so that stale bytes of a recycled
 * segment and bytes in a wrong place are never valid frames. The payload checksum is not seeded, because writers compute it
 * outside every lock, before the place is known.
 */
public final class LogFormat {

    static final long MAGIC = 0x31474F4C4157564BL; // "KVWALOG1"
    public static final int VERSION = 1;

    /** Size of the segment header. The first frame begins at this offset. */
    public static final int SEGMENT_HEADER_BYTES = 4096;

    private static final int SEGMENT_HEADER_USED = 72;
    private static final int SEGMENT_CRC_AT = 12;

    public static final int FRAME_HEADER_BYTES = 32;

    public static final byte PUT = 1;
    /** A put whose value is in the value store. Reserved: this version rejects it. */
    static final byte PUT_POINTER = 2;

    public static final byte REMOVE = 3;
    public static final byte BATCH = 4;
    public static final byte WATERMARK = 5;
    public static final byte SEAL = 6;
    /** Last frame of a full segment. Its payload is the id of the segment that follows. */
    public static final byte SUCCESSOR = 7;

    /** Least payload of a watermark or a seal: the segment id, offset and lsn up to which everything was durable. */
    static final int LEAST_MARK_BYTES = 24;

    /** Payload of a watermark or a seal without padding: the above, and the revision of the catalog. */
    public static final int MARK_PAYLOAD_BYTES = LEAST_MARK_BYTES + Long.BYTES;

    /** No operation ever gets a greater lsn. A frame with one would leave none for the next operations. */
    static final long GREATEST_LSN = Long.MAX_VALUE / 2;

    /** Frames begin at multiples of this. */
    public static final int ALIGNMENT = 8;

    private LogFormat() {}

    /**
     * The head of a segment.
     *
     * @param predecessorId the segment before it, 0 for the first of a store
     * @param predecessorEnd the offset at which the predecessor ends; bytes behind it are dead
     * @param firstLsn no record in the segment has a smaller lsn
     */
    public record SegmentHeader(
            long id, StoreId storeId, long predecessorId, long predecessorEnd, long firstLsn, long capacity) {

        public SegmentHeader withCapacity(long bytes) {
            return new SegmentHeader(id, storeId, predecessorId, predecessorEnd, firstLsn, bytes);
        }

        public byte[] encode() {
            ByteBuffer head = ByteBuffer.allocate(SEGMENT_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            head.putLong(MAGIC).putInt(VERSION).putInt(0);
            head.putLong(id).putLong(storeId.high()).putLong(storeId.low());
            head.putLong(predecessorId)
                    .putLong(predecessorEnd)
                    .putLong(firstLsn)
                    .putLong(capacity);
            head.putInt(SEGMENT_CRC_AT, Checksum.of(head.array(), 0, SEGMENT_HEADER_USED));
            return head.array();
        }
    }

    public sealed interface HeaderState {
        record Valid(SegmentHeader header) implements HeaderState {}

        /** All zero: the segment was prepared and never used. */
        record Unused() implements HeaderState {}

        /** The file is shorter than a head: its preparation did not end, or the file was cut short. */
        record TooShort() implements HeaderState {}

        /** The head is torn or damaged. */
        record Damaged() implements HeaderState {}

        /** The head was written by a version that this code does not know. */
        record Newer(int version) implements HeaderState {}
    }

    public static HeaderState readHeader(byte[] head, long expectedId) {
        ByteBuffer in = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
        if (Arrays.equals(head, 0, SEGMENT_HEADER_USED, new byte[SEGMENT_HEADER_USED], 0, SEGMENT_HEADER_USED)) {
            return new HeaderState.Unused();
        }
        int crc = in.getInt(SEGMENT_CRC_AT);
        in.putInt(SEGMENT_CRC_AT, 0);
        if (in.getLong(0) != MAGIC || crc != Checksum.of(head, 0, SEGMENT_HEADER_USED)) {
            return new HeaderState.Damaged();
        }
        if (in.getInt(8) != VERSION) {
            return new HeaderState.Newer(in.getInt(8));
        }
        SegmentHeader header = new SegmentHeader(
                in.getLong(16),
                new StoreId(in.getLong(24), in.getLong(32)),
                in.getLong(40),
                in.getLong(48),
                in.getLong(56),
                in.getLong(64));
        return header.id() == expectedId ? new HeaderState.Valid(header) : new HeaderState.Damaged();
    }

    public static byte[] encodeSuccessor(long id) {
        return new ByteWriter(Long.BYTES).u64(id).toArray();
    }

    static long decodeSuccessor(byte[] payload, int at) {
        return ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN).getLong(at);
    }

    public static long frameBytes(long payloadBytes) {
        return align(FRAME_HEADER_BYTES + payloadBytes);
    }

    public static long align(long bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
