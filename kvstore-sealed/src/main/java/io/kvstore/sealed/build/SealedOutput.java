package io.kvstore.sealed.build;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.io.FileAppender;
import io.kvstore.io.StorageFile;
import io.kvstore.sealed.format.SealedFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Appends to a file and takes the digests of its parts meanwhile. */
final class SealedOutput {

    private final StorageFile file;
    private final FileAppender appender;
    private final ByteWriter digests = new ByteWriter();
    private final CRC32C crc = new CRC32C();

    SealedOutput(StorageFile file) {
        this.file = file;
        this.appender = new FileAppender(file);
    }

    long position() {
        return appender.written();
    }

    void append(byte[] bytes) throws IOException {
        append(bytes, 0, bytes.length);
    }

    /** Appends a part of an array. */
    void append(byte[] bytes, int from, int length) throws IOException {
        int at = from;
        int end = from + length;
        while (at < end) {
            long left = SealedFormat.PART_BYTES - position() % SealedFormat.PART_BYTES;
            int count = (int) Math.min(left, end - at);
            crc.update(bytes, at, count);
            appender.append(ByteBuffer.wrap(bytes, at, count));
            at += count;
            if (count == left) {
                endPart();
            }
        }
    }

    private void endPart() {
        digests.u32((int) crc.getValue());
        crc.reset();
    }

    /** Appends zeros up to a multiple of a power of two. */
    void pad(int unit) throws IOException {
        append(new byte[(int) (SealedFormat.roundUp(position(), unit) - position())]);
    }

    /** The digests of all bytes until now. Only what has no digest may follow. */
    byte[] digests() {
        if (position() % SealedFormat.PART_BYTES != 0) {
            endPart();
        }
        return digests.toArray();
    }

    void flush() throws IOException {
        appender.flush();
    }

    /** Appends bytes that have no digest, writes all, and makes it durable. */
    void end(byte[] rest) throws IOException {
        appender.append(rest, rest.length);
        appender.flush();
        file.sync();
    }
}
