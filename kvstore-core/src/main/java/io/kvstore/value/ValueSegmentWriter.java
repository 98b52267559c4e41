package io.kvstore.value;

import io.kvstore.io.ByteWriter;
import io.kvstore.io.Checksum;
import io.kvstore.io.FileAppender;
import io.kvstore.io.Slice;
import io.kvstore.io.StorageFile;
import java.io.IOException;

/** Writes one value segment from front to back. The caller creates, syncs and closes the file. One thread. */
public final class ValueSegmentWriter {

    private static final int KEPT_BYTES = 1 << 20;

    private final FileAppender out;
    private final long number;
    private final long seed;
    private ByteWriter record = new ByteWriter(1 << 10);
    private long records;

    /**
     * Begins a segment.
     *
     * @param file empty
     * @param number the file's number, which names it and seeds its checksums
     * @param fileTag of the table
     */
    public ValueSegmentWriter(StorageFile file, long number, int fileTag) throws IOException {
        this.out = new FileAppender(file);
        this.number = number;
        this.seed = ValueSegmentFormat.seed(fileTag, number);
        out.append(ValueSegmentFormat.header(fileTag, number), ValueSegmentFormat.HEADER_BYTES);
    }

    /**
     * Adds a value.
     *
     * @param lsn of the write that put the value
     */
    public ValuePointer append(Slice key, long lsn, Slice value) throws IOException {
        ValuePointer pointer = new ValuePointer(number, out.written(), value.length());
        if (value.length() > KEPT_BYTES) {
            record = new ByteWriter(Math.toIntExact(pointer.recordBytes(key.length())));
        }
        record.cut(0);
        record.u32(0).u32(value.length()).u64(lsn).u16(key.length()).u16(ValueSegmentFormat.KIND_AND_FLAGS);
        record.raw(key.array(), key.offset(), key.length()).raw(value.array(), value.offset(), value.length());
        byte[] bytes = record.toBuffer().array();
        int size = record.size();
        record.setU32(0, Checksum.seeded(seed, pointer.offset(), bytes, Integer.BYTES, size - Integer.BYTES));
        out.append(bytes, size);
        records++;
        if (size > KEPT_BYTES) {
            record = new ByteWriter(1 << 10);
        }
        return pointer;
    }

    /** How long the file is so far. */
    public long bytes() {
        return out.written();
    }

    /** Writes what is left, without syncing, and describes the file. */
    public ValueSegmentInfo finish() throws IOException {
        out.flush();
        return new ValueSegmentInfo(number, out.written(), records);
    }
}
