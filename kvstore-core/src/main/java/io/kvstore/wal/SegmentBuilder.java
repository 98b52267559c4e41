package io.kvstore.wal;

import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.format.WatermarkPayload;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;

/**
 * Writes the segment with which a recovered or new log begins: the head, a watermark that states everything before as durable,
 * records, and another watermark. The file has a temporary name until {@link #finish}, and is deleted if {@link #finish} does
 * not complete.
 */
final class SegmentBuilder implements AutoCloseable {

    private final LogConfig config;
    private final String path;
    private final String temporary;
    private final StorageFile file;
    private final long capacity;
    private final FrameWriter frames;
    private final long segmentId;
    private long lastLsn;
    private boolean finished;

    SegmentBuilder(LogConfig config, LogFormat.SegmentHeader segment, long recordBytes, long leastBytes)
            throws IOException {
        this.config = config;
        this.path = SegmentPool.pathOf(config, segment.id());
        this.temporary = path + ".tmp";
        this.segmentId = segment.id();
        this.lastLsn = segment.firstLsn() - 1;
        long own = LogFormat.SEGMENT_HEADER_BYTES + 4 * LogTail.MARK_BYTES + LogTail.SECTOR_BYTES;
        this.capacity = Math.max(leastBytes, LogFormat.align(own + recordBytes));
        Storage storage = config.storage();
        storage.delete(temporary);
        this.file = storage.create(temporary);
        boolean complete = false;
        try {
            this.frames = new FrameWriter(
                    file, segment.id(), segment.withCapacity(capacity).encode());
            mark(0);
            complete = true;
        } finally {
            if (!complete) {
                giveUp(file);
            }
        }
    }

    long capacity() {
        return capacity;
    }

    void append(long lsn, LogRecord record) throws IOException {
        lastLsn = lsn;
        frames.record(lsn, record);
    }

    /** Every lsn up to this one was given out, whether or not there is a record of it. */
    void reached(long lsn) {
        lastLsn = lsn;
    }

    private void mark(int padding) throws IOException {
        WatermarkPayload stated = new WatermarkPayload(
                segmentId, frames.position(), lastLsn, config.catalog().getAsLong());
        frames.mark(LogFormat.WATERMARK, stated, padding);
    }

    /** Makes the segment durable under its own name. Returns the offset of the next frame. */
    long finish() throws IOException {
        mark(LogTail.paddingAt(frames.position(), capacity));
        long end = frames.position();
        frames.flush();
        SegmentPool.fill(file, end, capacity, SegmentPool.FILL_BYTES);
        file.sync();
        file.close();
        Storage storage = config.storage();
        storage.rename(temporary, path);
        storage.syncDirectory(config.directory());
        finished = true;
        return end;
    }

    @Override
    public void close() throws IOException {
        if (!finished) {
            giveUp(file);
        }
    }

    private void giveUp(StorageFile begun) throws IOException {
        begun.close();
        config.storage().delete(temporary);
    }
}
