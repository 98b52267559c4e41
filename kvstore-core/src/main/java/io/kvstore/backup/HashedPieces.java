package io.kvstore.backup;

import io.kvstore.data.Workers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.FutureTask;

/**
 * Pieces of files on their way to a pack. Their hashes are computed in the background, while the thread that has this reads the
 * next pieces and writes the ones before. For one thread.
 */
final class HashedPieces {

    private static final int PIECES = 6;

    private final AheadTasks hashes;
    private final Queue<ByteBuffer> free = new ArrayDeque<>();
    private final Queue<Piece> pieces = new ArrayDeque<>();

    /** Bytes, and their hash, which may be on its way. */
    private record Piece(ByteBuffer bytes, FutureTask<PartHash> hash) {}

    /** A piece that is done. */
    record Hashed(ByteBuffer bytes, PartHash hash) {}

    HashedPieces(Workers workers) {
        this.hashes = new AheadTasks(workers);
        for (int i = 0; i < PIECES; i++) {
            free.add(ByteBuffer.allocate(StoredFile.PART_BYTES));
        }
    }

    /** Whether a piece is to be taken before another one is added. */
    boolean isFull() {
        return free.isEmpty();
    }

    boolean isEmpty() {
        return pieces.isEmpty();
    }

    /** A buffer for so many bytes of the next piece. */
    ByteBuffer begin(int bytes) {
        return free.element().clear().limit(bytes);
    }

    /** The buffer that {@link #begin} returned has been filled up to its limit. */
    void add() {
        ByteBuffer bytes = free.remove().flip();
        FutureTask<PartHash> hash = new FutureTask<>(() -> PartHash.of(bytes));
        pieces.add(new Piece(bytes, hash));
        hashes.add(hash);
    }

    /** The oldest piece. The caller gives it back with {@link #done}. */
    Hashed take() throws IOException {
        Piece piece = pieces.remove();
        return new Hashed(piece.bytes, hashes.result(piece.hash));
    }

    void done(Hashed piece) {
        free.add(piece.bytes);
    }
}
