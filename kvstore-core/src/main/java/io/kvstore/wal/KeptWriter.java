package io.kvstore.wal;

import io.kvstore.data.TableMutations;
import io.kvstore.io.StorageFile;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Writes a file of kept records: room for the head, then frames, then a seal. The head is written last, into its room. */
final class KeptWriter implements LogReplay, AutoCloseable {

    private final StorageFile file;
    private final FrameWriter frames;

    KeptWriter(StorageFile file, long seed) throws IOException {
        this.file = file;
        this.frames = new FrameWriter(file, seed, new byte[KeptRecords.HEAD_BYTES]);
    }

    @Override
    public void apply(long lsn, List<TableMutations> operation) throws IOException {
        frames.record(lsn, LogRecord.of(operation));
    }

    /** Writes the seal and the head, and makes the file durable. */
    void finish(ByteBuffer head, long upTo) throws IOException {
        frames.mark(LogFormat.SEAL, frames.position(), upTo, 0);
        frames.flush();
        file.write(head, 0);
        file.sync();
    }

    long bytes() {
        return frames.position();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
