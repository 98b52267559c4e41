package io.kvstore.wal;

import io.kvstore.io.FileAppender;
import io.kvstore.io.StorageFile;
import io.kvstore.wal.format.FrameHeader;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.format.WatermarkPayload;
import java.io.IOException;

/** Writes a file of frames that nothing refers to yet: its head, then one frame behind the other. For one thread. */
final class FrameWriter {

    private final FileAppender out;
    private final long seed;
    private final FrameHeader header = new FrameHeader();
    private final byte[] zeros = new byte[LogFormat.ALIGNMENT];

    /** @param seed of the checksums of frames: the segment's id, or a number in its place */
    FrameWriter(StorageFile file, long seed, byte[] head) throws IOException {
        this.out = new FileAppender(file);
        this.seed = seed;
        out.append(head, head.length);
    }

    void record(long lsn, LogRecord record) throws IOException {
        header.set(lsn, record, record.checksum());
        out.append(header.encode(seed, position()), LogFormat.FRAME_HEADER_BYTES);
        out.append(record.key(), record.key().length);
        out.append(record.value(), record.value().length);
        out.append(zeros, (int) (LogFormat.align(position()) - position()));
    }

    /** Writes a watermark or a seal with its statement. */
    void mark(byte kind, WatermarkPayload stated, int padding) throws IOException {
        record(stated.lsn(), LogRecord.mark(kind, stated.encode(padding)));
    }

    long position() {
        return out.written();
    }

    void flush() throws IOException {
        out.flush();
    }
}
