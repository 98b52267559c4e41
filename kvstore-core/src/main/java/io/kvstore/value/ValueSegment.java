package io.kvstore.value;

import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.ByteReader;
import io.kvstore.io.Checksum;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * An open, complete value segment. A record is checked each time it is read: its checksum covers the place, so it is what
 * was written there, and key and lsn must be those of the entry that points to it. Safe for any number of threads until it
 * is closed.
 */
public final class ValueSegment implements AutoCloseable {

    private static final int HEAD = ValueSegmentFormat.RECORD_HEAD_BYTES;

    private final StorageFile file;
    private final ValueSegmentInfo info;
    private final long seed;
    private final ReadBuffers buffers;

    /**
     * Opens a segment and checks that it is the one that is meant.
     *
     * @param file stays the caller's to close when this fails
     * @param info what the manifest says of the file
     * @param buffers shared by all segments of a table
     * @throws CorruptionException if the file is not that one, or damaged
     */
    public ValueSegment(StorageFile file, ValueSegmentInfo info, int fileTag, ReadBuffers buffers) throws IOException {
        this.file = file;
        this.info = info;
        this.seed = ValueSegmentFormat.seed(fileTag, info.number());
        this.buffers = buffers;
        if (file.size() != info.bytes()) {
            throw new CorruptionException(
                    file.path(), -1, "has " + file.size() + " bytes; the manifest says " + info.bytes());
        }
        byte[] header = new byte[ValueSegmentFormat.HEADER_BYTES];
        file.readFully(ByteBuffer.wrap(header), 0);
        ValueSegmentFormat.checkHeader(header, file.path(), fileTag, info.number());
    }

    /**
     * Reads a value, as a fresh array.
     *
     * @param pointer into this segment
     * @param key holds the key of the entry that has the pointer, from its first byte on
     * @param lsn of that entry
     * @throws CorruptionException if there is not that value
     */
    public byte[] read(ValuePointer pointer, byte[] key, int keyLength, long lsn) throws IOException {
        long bytes = pointer.recordBytes(keyLength);
        if (pointer.offset() > info.bytes() - bytes || bytes > Integer.MAX_VALUE - 8) {
            throw corrupt(pointer.offset(), "a pointer leads behind the end of the file");
        }
        byte[] buffer = buffers.take((int) bytes);
        try {
            file.readFully(ByteBuffer.wrap(buffer, 0, (int) bytes), pointer.offset());
            Head head = checked(pointer.offset(), buffer, bytes);
            boolean isThatOne = head.valueLength == pointer.valueLength()
                    && head.lsn == lsn
                    && head.keyLength == keyLength
                    && Arrays.equals(buffer, HEAD, HEAD + keyLength, key, 0, keyLength);
            if (!isThatOne) {
                throw corrupt(pointer.offset(), "the value of another entry is where a pointer leads");
            }
            return Arrays.copyOfRange(buffer, HEAD + keyLength, (int) bytes);
        } finally {
            buffers.give(buffer);
        }
    }

    private record Head(int checksum, int valueLength, long lsn, int keyLength, int kindAndFlags) {

        static Head of(ByteReader in) {
            return new Head(in.u32(), in.u32(), in.u64(), in.u16(), in.u16());
        }

        long recordBytes() {
            return (long) HEAD + keyLength + valueLength;
        }
    }

    /** Checks the record that takes the first {@code bytes} bytes of the buffer. */
    private Head checked(long offset, byte[] buffer, long bytes) {
        int length = (int) bytes;
        Head head = Head.of(new ByteReader(file.path(), offset, buffer, 0, length));
        if (head.checksum != Checksum.seeded(seed, offset, buffer, Integer.BYTES, length - Integer.BYTES)) {
            throw corrupt(offset, "a value's checksum is wrong");
        }
        if (head.kindAndFlags != ValueSegmentFormat.KIND_AND_FLAGS) {
            throw corrupt(offset, "a value has a kind or flags that are not known here");
        }
        return head;
    }

    /** Reads every byte and checks every record. */
    public void verify(Findings findings) throws IOException {
        try {
            long records = 0;
            byte[] head = new byte[HEAD];
            for (long at = ValueSegmentFormat.HEADER_BYTES; at < info.bytes(); records++) {
                at += verifyRecord(at, head);
            }
            if (records != info.records()) {
                throw corrupt(-1, "has " + records + " values; the manifest says " + info.records());
            }
        } catch (CorruptionException e) {
            findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
        }
    }

    private long verifyRecord(long at, byte[] head) throws IOException {
        if (info.bytes() - at < HEAD) {
            throw corrupt(at, "ends within a value");
        }
        file.readFully(ByteBuffer.wrap(head), at);
        long bytes = Head.of(new ByteReader(file.path(), at, head, 0, HEAD)).recordBytes();
        if (bytes < HEAD || bytes > info.bytes() - at || bytes > Integer.MAX_VALUE - 8) {
            throw corrupt(at, "a value ends behind the end of the file");
        }
        byte[] buffer = buffers.take((int) bytes);
        try {
            file.readFully(ByteBuffer.wrap(buffer, 0, (int) bytes), at);
            checked(at, buffer, bytes);
        } finally {
            buffers.give(buffer);
        }
        return bytes;
    }

    private CorruptionException corrupt(long offset, String message) {
        return new CorruptionException(file.path(), offset, message);
    }

    /** What the manifest says of it. */
    public ValueSegmentInfo info() {
        return info;
    }

    /** Its path. */
    public String path() {
        return file.path();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
