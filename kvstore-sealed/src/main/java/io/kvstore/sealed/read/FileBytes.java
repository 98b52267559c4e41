package io.kvstore.sealed.read;

import io.kvstore.error.CorruptionException;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.StorageFile;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a finished file, through a mapping or by position. They are always copied before they are looked at as a whole:
 * a part of the disk that cannot be read is an exception of a copy, while a checksum of mapped memory might end the process.
 */
final class FileBytes implements AutoCloseable {

    /** What helps against damage. */
    static final String REMEDY = "put a sound copy of the file in its place";

    private final StorageFile file;
    private final @Nullable ReadMapping mapping;
    private final @Nullable MemorySegment memory;
    private final long size;

    /** @param mapping of the whole file, or null; closed with this */
    FileBytes(StorageFile file, @Nullable ReadMapping mapping, long size) {
        this.file = file;
        this.mapping = mapping;
        this.memory = mapping == null ? null : mapping.memory();
        this.size = size;
    }

    String path() {
        return file.path();
    }

    long size() {
        return size;
    }

    long mappedBytes() {
        return mapping == null ? 0 : size;
    }

    /** The memory that has the bytes from {@code offset} on, at {@link #baseOf}. */
    MemorySegment segment(long offset, int length) throws IOException {
        return memory != null ? memory : MemorySegment.ofArray(read(offset, length));
    }

    /** Where {@code offset} is in {@link #segment}. */
    long baseOf(long offset) {
        return memory != null ? offset : 0;
    }

    /** A copy of bytes. */
    byte[] read(long offset, int length) throws IOException {
        byte[] copy = new byte[length];
        read(offset, copy, length);
        return copy;
    }

    /** Copies bytes to the front of an array. */
    void read(long offset, byte[] target, int length) throws IOException {
        read(offset, target, 0, length);
    }

    /** Copies bytes to a part of an array. */
    void read(long offset, byte[] target, int at, int length) throws IOException {
        MemorySegment mapped = memory;
        if (mapped == null) {
            copy(offset, ByteBuffer.wrap(target, at, length));
            return;
        }
        try {
            MemorySegment.copy(mapped, ValueLayout.JAVA_BYTE, offset, target, at, length);
        } catch (InternalError e) {
            throw unreadable(offset, e);
        }
    }

    /** Fills the remaining room of a buffer, by position: a file is read once for a copy of it. */
    void copy(long offset, ByteBuffer target) throws IOException {
        try {
            file.readFully(target, offset);
        } catch (EOFException e) {
            throw corrupt(offset, "the file was cut off while it was in use");
        }
    }

    IOException unreadable(long offset, InternalError cause) {
        return new IOException(path() + " could not be read at " + offset + " through its mapping", cause);
    }

    CorruptionException corrupt(long offset, String message) {
        return new CorruptionException(path(), offset, message + "; " + REMEDY);
    }

    @Override
    public void close() throws IOException {
        try (file) {
            if (mapping != null) {
                mapping.close();
            }
        }
    }
}
