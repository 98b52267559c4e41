package io.kvstore.wal;

import io.kvstore.wal.format.FrameHeader;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.format.StoreId;
import io.kvstore.wal.format.WatermarkPayload;
import io.kvstore.wal.segment.LogSegment;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The end of the log: the current segment and the offset of the next frame in it. Changed under the log's lock only. Any thread
 * may read the segment or the position without the lock, but the two values need not belong together.
 *
 * <p>Behind every record there is room for two frames without an operation. The first one is a mark that ends at the end of a
 * sector, so that a sync ends there, too. The other one is the name of the successor, which therefore shares no sector with
 * anything that was durable before.
 */
final class LogTail {

    /** Bytes of a frame with an unpadded watermark. No frame without an operation needs more. */
    static final long MARK_BYTES = LogFormat.frameBytes(LogFormat.MARK_PAYLOAD_BYTES);

    /** Bytes that a disk writes whole or not at all. */
    static final long SECTOR_BYTES = 512;

    /** The bytes that are left behind each record: for a mark with its padding, and for the name of the successor. */
    static final long LAST_BYTES = MARK_BYTES + SECTOR_BYTES + MARK_BYTES;

    /** Pages are populated ahead for {@code 1 / POPULATED_PART} of a segment, and again when less than half of that is left. */
    private static final int POPULATED_PART = 8;

    /** Pages are populated only after {@code 1 / UNPOPULATED_PART} of a segment: the log may be one that is hardly written. */
    private static final int UNPOPULATED_PART = 64;

    private final StoreId storeId;
    private final FrameHeader header = new FrameHeader();
    private volatile LogSegment segment;
    private volatile long position;

    /** The end of the pages that were populated, or are about to be. */
    private final AtomicReference<Populated> populated;

    private record Populated(LogSegment segment, long end) {}

    LogTail(StoreId storeId, LogSegment segment, long position) {
        this.storeId = storeId;
        this.segment = segment;
        this.position = position;
        this.populated = new AtomicReference<>(new Populated(segment, 0));
    }

    LogSegment segment() {
        return segment;
    }

    long position() {
        return position;
    }

    /** Whether a record of that size fits. */
    boolean hasRoom(long frameBytes) {
        return position + frameBytes + LAST_BYTES <= segment.capacity();
    }

    /** Whether a mark with its padding fits. It always does behind a record. */
    boolean hasRoomToMark() {
        return endOfMark(position) + MARK_BYTES <= segment.capacity();
    }

    private static long endOfMark(long offset) {
        return (offset + MARK_BYTES + SECTOR_BYTES - 1) & -SECTOR_BYTES;
    }

    /** A task that populates pages ahead, to be run by another thread. Null if none is due. Any thread may call this. */
    @Nullable
    Runnable populateAhead() {
        LogSegment target = segment;
        long now = position;
        if (!target.hasPages() || now < target.capacity() / UNPOPULATED_PART) {
            return null;
        }
        Populated before = populated.get();
        long from = Math.max(now, before.segment.equals(target) ? before.end : 0);
        long ahead = target.capacity() / POPULATED_PART;
        if (from - now >= ahead / 2 || from >= target.capacity()) {
            return null;
        }
        long to = Math.min(now + ahead, target.capacity());
        return populated.compareAndSet(before, new Populated(target, to)) ? () -> populate(target, from, to) : null;
    }

    /** Leaves out pages that were written meanwhile. */
    private void populate(LogSegment target, long from, long to) {
        if (target.equals(segment)) {
            target.populate(Math.max(from, position), to);
        }
    }

    boolean isHalfFull() {
        return position > segment.capacity() / 2;
    }

    /** Allocates the memory for a record or a mark. This step may fail without a trace. */
    void reserve(long frameBytes) {
        segment.reserve(frameBytes + SECTOR_BYTES + MARK_BYTES);
    }

    void append(long lsn, LogRecord record) {
        LogSegment target = segment;
        long start = position;
        long at = start + LogFormat.FRAME_HEADER_BYTES;
        header.set(lsn, record, record.payloadCrc());
        target.put(header.encode(target.id(), start), 0, LogFormat.FRAME_HEADER_BYTES, start);
        target.put(record.key(), 0, record.key().length, at);
        target.put(record.value(), 0, record.value().length, at + record.key().length);
        position = start + LogFormat.frameBytes(header.length);
        if (record.isShared()) {
            seal(start);
        }
    }

    /** Sets the payload checksum of the last frame from the bytes in the segment. Only this copy is sure not to change. */
    private void seal(long start) {
        LogSegment target = segment;
        header.payloadCrc = target.checksum(start + LogFormat.FRAME_HEADER_BYTES, header.length);
        target.put(header.encode(target.id(), start), 0, LogFormat.FRAME_HEADER_BYTES, start);
    }

    /**
     * Makes a watermark or a seal, to be appended at this position, and allocates the memory for that. Appends nothing, so it
     * may fail without a trace. A mark ends at the end of a sector, so the next frame shares no sector with it. A sector that
     * is torn by a power loss therefore never holds bytes that were durable before.
     */
    LogRecord prepareMark(byte kind, WatermarkPayload stated) {
        reserve(MARK_BYTES);
        return LogRecord.mark(kind, stated.encode(paddingAt(position, segment.capacity())));
    }

    /**
     * The padding with which a mark at {@code offset} ends at the end of a sector. Less padding at the end of a segment that an
     * earlier version wrote, or for a seal behind the last mark.
     */
    static int paddingAt(long offset, long capacity) {
        return (int) Math.max(0, Math.min(endOfMark(offset), capacity - MARK_BYTES) - offset - MARK_BYTES);
    }

    /** Names the successor at the end of the current segment, and moves to it. Returns the end of the old segment. */
    long moveTo(LogSegment next, long lastLsn) {
        reserve(MARK_BYTES);
        next.reserve(LogFormat.SEGMENT_HEADER_BYTES);
        append(lastLsn, LogRecord.mark(LogFormat.SUCCESSOR, LogFormat.encodeSuccessor(next.id())));
        long end = position;
        byte[] head = new LogFormat.SegmentHeader(next.id(), storeId, segment.id(), end, lastLsn + 1, next.capacity())
                .encode();
        next.put(head, 0, head.length, 0);
        segment = next;
        position = LogFormat.SEGMENT_HEADER_BYTES;
        return end;
    }
}
