package io.kvstore.wal;

import io.kvstore.bytes.Checksum;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.wal.format.FrameHeader;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.format.WatermarkPayload;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Writes the segment with which a recovered or new log begins: the head, a watermark that states everything before as durable,
 * records, and another watermark. The file has a temporary name until {@link #finish}, and is deleted if {@link #finish} does
 * not complete.
 */
final class SegmentBuilder implements AutoCloseable {

    /** The usual least length of such a segment, unless {@link LogConfig#segmentBytes} is less. */
    static final long FIRST_BYTES = 4L << 20;

    private static final byte[] NO_KEY = {};
    private static final int FILL_BYTES = 4096;
    private static final int BUFFER_BYTES = 1 << 20;

    private final LogConfig config;
    private final LogFormat.SegmentHeader segment;
    private final String path;
    private final String temporary;
    private final StorageFile file;
    private final long capacity;
    private final FrameHeader header = new FrameHeader();
    private final byte[] zeros = new byte[LogFormat.ALIGNMENT];
    private ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private long written;
    private long lastLsn;
    private boolean finished;

    /**
     * Begins the segment.
     *
     * @param recordBytes bytes of the records that are to be appended
     * @param leastBytes the least length of the file
     */
    SegmentBuilder(LogConfig config, LogFormat.SegmentHeader segment, long recordBytes, long leastBytes)
            throws IOException {
        this.config = config;
        this.segment = segment;
        this.path = SegmentPool.pathOf(config, segment.id());
        this.temporary = path + ".tmp";
        this.lastLsn = segment.firstLsn() - 1;
        long own = LogFormat.SEGMENT_HEADER_BYTES + 4 * LogTail.MARK_BYTES + LogTail.SECTOR_BYTES;
        this.capacity = Math.max(leastBytes, LogFormat.align(own + recordBytes));
        Storage storage = config.storage();
        storage.delete(temporary);
        this.file = storage.create(temporary);
        write(segment.withCapacity(capacity).encode());
        watermark(LogFormat.SEGMENT_HEADER_BYTES, 0);
    }

    long capacity() {
        return capacity;
    }

    void append(long lsn, LogRecord record) throws IOException {
        header.kind = record.kind();
        header.tableId = record.tableId();
        header.lsn = lsn;
        lastLsn = lsn;
        frame(record.key(), record.value(), record.checksum());
    }

    private void watermark(long offset, int padding) throws IOException {
        byte[] payload = new WatermarkPayload(segment.id(), offset, lastLsn).encode(padding);
        header.kind = LogFormat.WATERMARK;
        header.tableId = 0;
        header.lsn = lastLsn;
        frame(NO_KEY, payload, Checksum.of(payload));
    }

    private void frame(byte[] key, byte[] value, int payloadCrc) throws IOException {
        header.keyLength = key.length;
        header.length = key.length + value.length;
        header.payloadCrc = payloadCrc;
        write(header.encode(segment.id(), position()));
        write(key);
        write(value);
        int padding = (int) (LogFormat.align(position()) - position());
        write(zeros, padding);
    }

    private void write(byte[] bytes) throws IOException {
        write(bytes, bytes.length);
    }

    private void write(byte[] bytes, int length) throws IOException {
        if (buffer.remaining() < length) {
            drain();
        }
        if (buffer.capacity() < length) {
            buffer = ByteBuffer.allocate(length);
        }
        buffer.put(bytes, 0, length);
    }

    private void drain() throws IOException {
        int length = buffer.position();
        file.write(buffer.flip(), written);
        written += length;
        buffer.clear();
    }

    private long position() {
        return written + buffer.position();
    }

    /** Makes the segment durable under its own name. Returns the offset of the next frame. */
    long finish() throws IOException {
        watermark(position(), LogTail.paddingAt(position(), capacity));
        long end = position();
        drain();
        ByteBuffer page = ByteBuffer.allocateDirect(FILL_BYTES);
        for (long at = end; at < capacity; at += page.limit()) {
            page.clear().limit((int) Math.min(FILL_BYTES - at % FILL_BYTES, capacity - at));
            file.write(page, at);
        }
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
            file.close();
            config.storage().delete(temporary);
        }
    }
}
