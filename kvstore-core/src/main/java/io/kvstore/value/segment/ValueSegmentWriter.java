package io.kvstore.value.segment;

import io.kvstore.bytes.Slice;
import io.kvstore.io.FileAppender;
import io.kvstore.io.StorageFile;
import java.io.IOException;

/** Writes one value segment from front to back. The caller creates, syncs and closes the file. For one thread. */
public final class ValueSegmentWriter {

    private static final int KEPT_BYTES = 1 << 20;
    private static final int LEAST_BYTES = 1 << 10;

    private final FileAppender out;
    private final long number;
    private final long seed;
    private final RecordEncoder encoder = new RecordEncoder();
    private byte[] record = new byte[LEAST_BYTES];
    private long records;

    /** @param file an empty one */
    public ValueSegmentWriter(StorageFile file, long number, int fileTag) throws IOException {
        this.out = new FileAppender(file);
        this.number = number;
        this.seed = ValueSegmentFormat.seed(fileTag, number);
        out.append(ValueSegmentFormat.header(fileTag, number), ValueSegmentFormat.HEADER_BYTES);
    }

    /** @param lsn of the write that put the value */
    public ValuePointer append(Slice key, long lsn, Slice value) throws IOException {
        ValuePointer pointer = new ValuePointer(number, out.written(), value.length());
        int size = Math.toIntExact(pointer.recordBytes(key.length()));
        if (size > record.length) {
            record = new byte[Math.max(size, Math.min(2 * record.length, KEPT_BYTES))];
        }
        encoder.set(key, lsn, value);
        encoder.write(record, 0, seed, pointer.offset());
        out.append(record, size);
        records++;
        if (record.length > KEPT_BYTES) {
            record = new byte[LEAST_BYTES];
        }
        return pointer;
    }

    public long bytes() {
        return out.written();
    }

    /** Writes the bytes that are still buffered, without syncing, and describes the file. */
    public ValueSegmentInfo finish() throws IOException {
        out.flush();
        return new ValueSegmentInfo(number, out.written(), records);
    }
}
