package io.kvstore.value;

import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Writes a run of bytes in pieces that begin and end at multiples of {@link #PIECE_BYTES} in the file, but for the first and
 * the last: a write that begins or ends within a page costs the system two thirds more for each byte.
 *
 * <p>For one thread, which closes it.
 */
final class PieceWriter implements AutoCloseable {

    /** Larger ones were no faster. */
    static final int PIECE_BYTES = 256 << 10;

    private final Arena arena = Arena.ofConfined();
    private MemorySegment memory = MemorySegment.NULL;
    private ByteBuffer piece = ByteBuffer.allocate(0);

    /** Where the file is when it has all that was added. */
    private long end;

    private long writtenTo;

    /** What is added from now on lies from {@code position} on in some file, and has {@code bytes} bytes. */
    void begin(long position, long bytes) {
        long wanted = Math.min(bytes, PIECE_BYTES);
        if (memory.byteSize() < wanted) {
            memory = arena.allocate(wanted);
            piece = memory.asByteBuffer();
        }
        end = position;
        writtenTo = position;
        startPiece();
    }

    private void startPiece() {
        piece.clear();
        piece.limit((int) Math.min(piece.capacity(), PIECE_BYTES - end % PIECE_BYTES));
    }

    /** Adds bytes, and writes the pieces that become full. */
    void add(StorageFile target, byte[] bytes, int from, int length) throws IOException {
        int done = 0;
        while (done < length) {
            int part = Math.min(length - done, piece.remaining());
            MemorySegment.copy(bytes, from + done, memory, ValueLayout.JAVA_BYTE, piece.position(), part);
            piece.position(piece.position() + part);
            end += part;
            done += part;
            if (!piece.hasRemaining()) {
                flush(target);
            }
        }
    }

    /** Writes what is left. */
    void flush(StorageFile target) throws IOException {
        piece.flip();
        if (piece.hasRemaining()) {
            target.write(piece, writtenTo);
            writtenTo = end;
        }
        startPiece();
    }

    /** Up to where the file has what was added. */
    long writtenTo() {
        return writtenTo;
    }

    @Override
    public void close() {
        arena.close();
    }
}
