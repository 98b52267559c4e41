package io.kvstore.wal;

import org.jspecify.annotations.Nullable;

/**
 * Where the log is written: the current segment and the offset of the next frame in it. Changed under the log's lock only;
 * segment and position may be looked at by anyone, each for itself.
 *
 * <p>Behind every frame there is room for one more that has no operation in it: a seal, or the name of the successor.
 */
final class LogTail {

    /** Bytes of a frame with a watermark, the largest without an operation. */
    static final long MARK_BYTES = LogFormat.frameBytes(LogFormat.WATERMARK_PAYLOAD_BYTES);

    /** What a disk writes whole or not at all. */
    static final long SECTOR_BYTES = 512;

    /** Pages are populated so far ahead at a time, and again when half of that is left. */
    private static final long POPULATED_BYTES = 8 << 20;

    /** Before so much was written, a segment may be one of a log that is hardly written. */
    private static final long UNPOPULATED_BYTES = 1 << 20;

    private static final byte[] NO_KEY = {};

    private final StoreId storeId;
    private final FrameHeader header = new FrameHeader();
    private volatile LogSegment segment;
    private volatile long position;

    /** Up to where pages of the segment were populated, or were not worth it. */
    private long populatedEnd;

    LogTail(StoreId storeId, LogSegment segment, long position) {
        this.storeId = storeId;
        this.segment = segment;
        this.position = position;
    }

    LogSegment segment() {
        return segment;
    }

    /** Offset of the next frame. */
    long position() {
        return position;
    }

    /** Whether a frame of that size fits. */
    boolean hasRoom(long frameBytes) {
        return position + frameBytes + MARK_BYTES <= segment.capacity();
    }

    /** What has pages populated ahead, to be run by another thread; null if that is not due. */
    @Nullable
    Runnable populateAhead() {
        LogSegment target = segment;
        long from = Math.max(populatedEnd, position);
        long to = Math.min(position + POPULATED_BYTES, target.capacity());
        boolean isDue = from - position < POPULATED_BYTES / 2 && from < target.capacity();
        if (!isDue || position < UNPOPULATED_BYTES || !target.hasPages()) {
            return null;
        }
        populatedEnd = to;
        return () -> target.populate(from, to);
    }

    boolean isHalfFull() {
        return position > segment.capacity() / 2;
    }

    /** Takes the memory for a record, or for a mark; the step that may fail without a trace. */
    void reserve(long frameBytes) {
        segment.reserve(frameBytes + SECTOR_BYTES + MARK_BYTES);
    }

    void append(long lsn, LogRecord record) {
        header.kind = record.kind();
        header.tableId = record.tableId();
        write(lsn, record.key(), record.value(), record.payloadCrc());
    }

    /**
     * Appends a watermark or a seal that ends where a sector does: what is written next shares no sector with it, so that
     * a sector torn by a power loss never holds bytes that were durable before.
     */
    void mark(byte kind, long lsn, WatermarkPayload stated) {
        reserve(MARK_BYTES);
        byte[] payload = stated.encode(paddingAt(position, segment.capacity()));
        header.kind = kind;
        header.tableId = 0;
        write(lsn, NO_KEY, payload, WatermarkPayload.crcOf(payload));
    }

    /** How much a mark at that offset must be padded to end where a sector does, or less at the end of the segment. */
    static int paddingAt(long offset, long capacity) {
        long end = (offset + MARK_BYTES + SECTOR_BYTES - 1) & -SECTOR_BYTES;
        return (int) Math.max(0, Math.min(end, capacity - MARK_BYTES) - offset - MARK_BYTES);
    }

    /** Names the successor at the end of the current segment and goes on in it. */
    void moveTo(LogSegment next, long lastLsn) {
        reserve(MARK_BYTES);
        next.reserve(LogFormat.SEGMENT_HEADER_BYTES);
        byte[] successor = LogFormat.encodeSuccessor(next.id());
        header.kind = LogFormat.SUCCESSOR;
        header.tableId = 0;
        write(lastLsn, NO_KEY, successor, WatermarkPayload.crcOf(successor));
        byte[] head = new LogFormat.SegmentHeader(
                        next.id(), storeId, segment.id(), position, lastLsn + 1, next.capacity())
                .encode();
        next.put(head, 0, head.length, 0);
        segment = next;
        position = LogFormat.SEGMENT_HEADER_BYTES;
        populatedEnd = 0;
    }

    private void write(long lsn, byte[] key, byte[] value, int payloadCrc) {
        LogSegment target = segment;
        long start = position;
        header.lsn = lsn;
        header.keyLength = key.length;
        header.length = key.length + value.length;
        header.payloadCrc = payloadCrc;
        header.flags = 0;
        long at = start + LogFormat.FRAME_HEADER_BYTES;
        target.put(header.encode(target.id(), start), 0, LogFormat.FRAME_HEADER_BYTES, start);
        target.put(key, 0, key.length, at);
        target.put(value, 0, value.length, at + key.length);
        position = start + LogFormat.frameBytes(header.length);
    }
}
