package io.kvstore.server.http.message;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.ProblemCode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The body of a request in the pieces in which it arrived, and the heap memory that it claims. Used by one thread at a time.
 */
public final class Body implements AutoCloseable {

    private final ByteBudget.Claim heap;
    private final List<byte[]> pieces = new ArrayList<>();
    private int size;

    public Body(ByteBudget.Claim heap) {
        this.heap = heap;
    }

    /** A body without bytes. */
    static Body empty() {
        return new Body(new ByteBudget(0).claim(ProblemCode.TOO_LARGE));
    }

    /** Adds a piece, or refuses the request because other requests take the heap memory. */
    public void add(byte[] piece) {
        heap.take(piece.length, () -> "the body");
        pieces.add(piece);
        size += piece.length;
    }

    public int size() {
        return size;
    }

    /** All bytes in one array. The body must not be used afterwards, because its pieces may be gone. */
    public byte[] toByteArray() {
        if (pieces.size() == 1) {
            return pieces.getFirst();
        }
        heap.take(size, () -> "the body");
        byte[] whole = new byte[size];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, whole, at, piece.length);
            at += piece.length;
        }
        pieces.clear();
        return whole;
    }

    /**
     * All bytes, to be read once. The memory of the objects that are made of them is claimed until the request ends.
     *
     * @param copies the size of these objects, at most, as a multiple of the body's
     */
    public InputStream stream(int copies) {
        heap.take((long) copies * size, () -> "the body");
        return new SequenceInputStream(Collections.enumeration(
                pieces.stream().<InputStream>map(ByteArrayInputStream::new).toList()));
    }

    /** Gives the claimed memory back when the request has ended. A thread that still reads the bytes is not disturbed. */
    @Override
    public void close() {
        heap.close();
    }
}
