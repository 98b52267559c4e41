package io.kvstore.testkit;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a simulated file: chunks that copies share until one of them is written. Chunks of zeros take no room. Bytes
 * at or above {@link #size()} are zero.
 */
final class SimContent {

    static final int CHUNK_BYTES = 4096;

    private static final byte[] ZEROS = new byte[CHUNK_BYTES];

    private byte[] @Nullable [] chunks;
    private final BitSet owned = new BitSet();
    private long size;

    SimContent() {
        this.chunks = new byte[0][];
    }

    private SimContent(byte[] @Nullable [] chunks, long size) {
        this.chunks = chunks;
        this.size = size;
    }

    /** The same bytes; what is written to one of the two does not show in the other. */
    SimContent copy() {
        owned.clear();
        return new SimContent(chunks.clone(), size);
    }

    long size() {
        return size;
    }

    /** Reads as {@link io.kvstore.io.StorageFile#read} does. */
    int read(ByteBuffer target, long position) {
        if (position >= size) {
            return target.hasRemaining() ? -1 : 0;
        }
        int count = (int) Math.min(target.remaining(), size - position);
        long at = position;
        long end = position + count;
        while (at < end) {
            int within = (int) (at % CHUNK_BYTES);
            int length = (int) Math.min(CHUNK_BYTES - within, end - at);
            target.put(chunk(at), within, length);
            at += length;
        }
        return count;
    }

    /** Writes a part of an array, growing as needed. */
    void write(long position, byte[] source, int offset, int length) {
        size = Math.max(size, position + length);
        int done = 0;
        while (done < length) {
            int within = (int) ((position + done) % CHUNK_BYTES);
            int count = Math.min(CHUNK_BYTES - within, length - done);
            if (chunkOrNull(position + done) != null || !isZero(source, offset + done, count)) {
                System.arraycopy(source, offset + done, writable(position + done), within, count);
            }
            done += count;
        }
    }

    /** Cuts to {@code newSize} bytes, or grows to it with zeros. */
    void resize(long newSize) {
        if (newSize < size) {
            zero(newSize, size);
        }
        size = newSize;
    }

    /** Makes the bytes from {@code start} to {@code end} those of another content, whose end counts as zeros. */
    void copyRange(SimContent from, long start, long end) {
        long limit = Math.min(end, from.size);
        for (long at = start; at < limit; ) {
            int within = (int) (at % CHUNK_BYTES);
            int count = (int) Math.min(CHUNK_BYTES - within, limit - at);
            if (count == CHUNK_BYTES && from.chunkOrNull(at) != null) {
                share(from, at);
            } else {
                write(at, from.chunk(at), within, count);
            }
            at += count;
        }
        if (limit < end && size > Math.max(start, limit)) {
            zero(Math.max(start, limit), Math.min(end, size));
        }
    }

    /** Takes a whole chunk of another content, which has one there. */
    private void share(SimContent from, long position) {
        int index = Math.toIntExact(position / CHUNK_BYTES);
        makeRoom(index);
        chunks[index] = from.chunks[index];
        owned.clear(index);
        from.owned.clear(index);
        size = Math.max(size, position + CHUNK_BYTES);
    }

    private void makeRoom(int index) {
        if (index >= chunks.length) {
            chunks = Arrays.copyOf(chunks, Math.max(index + 1, chunks.length * 2));
        }
    }

    /** The 4 KiB that hold the byte at {@code position}; not to be written. */
    byte[] chunk(long position) {
        byte[] chunk = chunkOrNull(position);
        return chunk == null ? ZEROS : chunk;
    }

    byte[] toArray() {
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(size));
        read(all, 0);
        return all.array();
    }

    private void zero(long start, long end) {
        for (long at = start; at < end; ) {
            int within = (int) (at % CHUNK_BYTES);
            int count = (int) Math.min(CHUNK_BYTES - within, end - at);
            if (chunkOrNull(at) != null) {
                Arrays.fill(writable(at), within, within + count, (byte) 0);
            }
            at += count;
        }
    }

    private byte @Nullable [] chunkOrNull(long position) {
        long index = position / CHUNK_BYTES;
        return index < chunks.length ? chunks[(int) index] : null;
    }

    private byte[] writable(long position) {
        int index = Math.toIntExact(position / CHUNK_BYTES);
        makeRoom(index);
        byte[] chunk = chunks[index];
        if (chunk == null || !owned.get(index)) {
            chunk = chunk == null ? new byte[CHUNK_BYTES] : chunk.clone();
            chunks[index] = chunk;
            owned.set(index);
        }
        return chunk;
    }

    private static boolean isZero(byte[] bytes, int offset, int length) {
        return Arrays.equals(bytes, offset, offset + length, ZEROS, 0, length);
    }
}
