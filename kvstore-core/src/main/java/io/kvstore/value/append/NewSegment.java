package io.kvstore.value.append;

import io.kvstore.bytes.Slice;
import io.kvstore.io.StorageFile;
import io.kvstore.io.UncertainOutcomeException;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegmentInfo;
import io.kvstore.value.segment.ValueSegmentWriter;
import java.io.IOException;

/**
 * A segment that a job writes as a whole, in the order of its keys. Nobody reads it before it is finished. Closing deletes its
 * file unless it was finished. For one thread.
 */
public final class NewSegment implements AutoCloseable {

    private final ValueSegmentFiles files;
    private final StorageFile file;
    private final ValueSegmentWriter writer;
    private boolean finished;

    NewSegment(ValueSegmentFiles files, StorageFile file, long number, int fileTag) throws IOException {
        this.files = files;
        this.file = file;
        try {
            this.writer = new ValueSegmentWriter(file, number, fileTag);
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    public ValuePointer append(Slice key, long lsn, Slice value) throws IOException {
        return writer.append(key, lsn, value);
    }

    public long bytes() {
        return writer.bytes();
    }

    /**
     * Completes and syncs the segment. Its name is not durable yet. The caller gets the first lease.
     *
     * @throws UncertainOutcomeException if the file could not be synced; that failure is final
     */
    public StoredSegment finish() throws IOException {
        ValueSegmentInfo info = writer.finish();
        try {
            file.sync();
        } catch (IOException e) {
            throw new UncertainOutcomeException(file.path() + " could not be synced", e);
        }
        StoredSegment result = files.add(file, info);
        finished = true;
        return result;
    }

    @Override
    public void close() throws IOException {
        if (!finished) {
            try {
                file.close();
            } finally {
                files.delete(file);
            }
        }
    }
}
