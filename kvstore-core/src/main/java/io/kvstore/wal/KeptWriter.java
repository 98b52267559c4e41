package io.kvstore.wal;

import io.kvstore.bytes.Checksum;
import io.kvstore.data.TableMutations;
import io.kvstore.io.FileAppender;
import io.kvstore.io.StorageFile;
import io.kvstore.wal.format.FrameHeader;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.format.WatermarkPayload;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Writes a file of kept records: room for the head, then frames, then a seal. The head is written last, into its room. */
final class KeptWriter implements LogRecovery.Replay, AutoCloseable {

    private static final byte[] NO_KEY = {};

    private final StorageFile file;
    private final long seed;
    private final FileAppender out;
    private final FrameHeader header = new FrameHeader();
    private final byte[] zeros = new byte[KeptRecords.HEAD_BYTES];

    KeptWriter(StorageFile file, long seed) throws IOException {
        this.file = file;
        this.seed = seed;
        this.out = new FileAppender(file);
        out.append(zeros, KeptRecords.HEAD_BYTES);
    }

    @Override
    public void apply(long lsn, List<TableMutations> operation) throws IOException {
        LogRecord record = LogRecord.of(operation);
        header.kind = record.kind();
        header.tableId = record.tableId();
        header.lsn = lsn;
        frame(record.key(), record.value(), record.checksum());
    }

    private void frame(byte[] key, byte[] value, int payloadCrc) throws IOException {
        header.keyLength = key.length;
        header.length = key.length + value.length;
        header.payloadCrc = payloadCrc;
        header.flags = 0;
        out.append(header.encode(seed, out.written()), LogFormat.FRAME_HEADER_BYTES);
        out.append(key, key.length);
        out.append(value, value.length);
        out.append(zeros, (int) (LogFormat.align(out.written()) - out.written()));
    }

    /** Writes the seal and the head, and makes the file durable. */
    void finish(ByteBuffer head, long upTo) throws IOException {
        byte[] payload = new WatermarkPayload(seed, out.written(), upTo).encode(0);
        header.kind = LogFormat.SEAL;
        header.tableId = 0;
        header.lsn = upTo;
        frame(NO_KEY, payload, Checksum.of(payload));
        out.flush();
        file.write(head, 0);
        file.sync();
    }

    long bytes() {
        return out.written();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
