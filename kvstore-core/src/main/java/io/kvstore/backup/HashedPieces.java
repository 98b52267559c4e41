package io.kvstore.backup;

import io.kvstore.data.Workers;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Pieces of files on their way to a pack. A thread of the background computes their hashes ahead, while the thread that has
 * this reads the next ones and writes the ones before. If there is no such thread, or it is late, that thread computes them
 * itself, so it never waits for a task that is only queued. For one thread.
 */
final class HashedPieces {

    private static final int PIECES = 6;

    private final Workers workers;
    private final Queue<ByteBuffer> free = new ArrayDeque<>();
    private final Queue<Piece> pieces = new ArrayDeque<>();

    /** What the other thread may take. */
    private final Queue<FutureTask<PartHash>> unhashed = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** Bytes, and their hash, which may be on its way. */
    private record Piece(ByteBuffer bytes, FutureTask<PartHash> hash) {}

    /** A piece that is done. */
    record Hashed(ByteBuffer bytes, PartHash hash) {}

    HashedPieces(Workers workers) {
        this.workers = workers;
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
        unhashed.add(hash);
        workers.executeOnce(scheduled, this::hashAhead);
    }

    private void hashAhead() {
        scheduled.set(false);
        for (FutureTask<PartHash> next = unhashed.poll(); next != null; next = unhashed.poll()) {
            next.run();
        }
    }

    /** The oldest piece. The caller gives it back with {@link #done}. */
    Hashed take() {
        Piece piece = pieces.remove();
        unhashed.remove(piece.hash);
        piece.hash.run(); // unless the other thread has begun
        return new Hashed(piece.bytes, await(piece.hash));
    }

    void done(Hashed piece) {
        free.add(piece.bytes);
    }

    private static PartHash await(FutureTask<PartHash> hash) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return hash.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw new IllegalStateException("a hash could not be computed", e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
