package io.kvstore.sealed.build;

import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.Slice;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import io.kvstore.sealed.format.RecordHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The records in a part of a file. A value that does not fit into the buffer is read when it is asked for. */
final class FileRun implements Run {

    private final StorageFile file;
    private final long seed;
    private final long end;
    private final long mostEntryBytes;
    private byte[] buffer;

    /**
     * The records between two offsets of a file.
     *
     * @param seed of the checksums
     * @param start where the first record is
     * @param end where the last record ends
     */
    record Part(StorageFile file, long seed, long start, long end) {}

    /** Where the buffer begins in the file, and how many of its bytes are used. */
    private long bufferStart;

    private int bufferUsed;
    private long offset;
    private long head;

    /**
     * Begins before the first record.
     *
     * @param mostEntryBytes as in {@link Run.Source}
     */
    FileRun(Part part, int bufferBytes, long mostEntryBytes) {
        this.file = part.file();
        this.seed = part.seed();
        this.end = part.end();
        this.mostEntryBytes = mostEntryBytes;
        this.buffer = new byte[bufferBytes];
        this.bufferStart = part.start();
        this.offset = part.start();
    }

    @Override
    public boolean next() throws IOException {
        offset += head == 0 ? 0 : RecordHead.recordBytes(head);
        if (offset >= end) {
            return false;
        }
        require(RecordHead.MOST_BYTES);
        int at = (int) (offset - bufferStart);
        head = RecordHead.read(buffer, at, Integer.BYTES, bufferUsed);
        if (head == RecordHead.NONE
                || RecordHead.recordBytes(head) > end - offset
                || RecordHead.keyBytes(head) + (long) RecordHead.valueBytes(head) > mostEntryBytes) {
            throw damaged();
        }
        require(RecordHead.bytes(head) + RecordHead.keyBytes(head));
        return true;
    }

    /** Sees to it that the buffer has so many bytes from the present record on, unless the run ends before. */
    private void require(int bytes) throws IOException {
        int wanted = (int) Math.min(bytes, end - offset);
        if (offset + wanted <= bufferStart + bufferUsed) {
            return;
        }
        if (buffer.length < wanted) {
            buffer = new byte[wanted];
        }
        bufferStart = offset;
        bufferUsed = (int) Math.min(buffer.length, end - offset);
        file.readFully(ByteBuffer.wrap(buffer, 0, bufferUsed), offset);
    }

    @Override
    public byte[] key() {
        int start = (int) (offset - bufferStart) + RecordHead.bytes(head);
        return Arrays.copyOfRange(buffer, start, start + RecordHead.keyBytes(head));
    }

    @Override
    public Slice value() throws IOException {
        int length = Math.toIntExact(RecordHead.recordBytes(head));
        byte[] array = buffer;
        int start = (int) (offset - bufferStart);
        if (start + length > bufferUsed) {
            array = new byte[length];
            start = 0;
            file.readFully(ByteBuffer.wrap(array), offset);
        }
        int checksum = Checksum.seeded(seed, offset, array, start + Integer.BYTES, length - Integer.BYTES);
        if (ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN).getInt(start) != checksum) {
            throw damaged();
        }
        int valueBytes = RecordHead.valueBytes(head);
        return new Slice(array, start + length - valueBytes, valueBytes);
    }

    private CorruptionException damaged() {
        return new CorruptionException(file.path(), offset, "a temporary record is damaged; build the file again");
    }
}
