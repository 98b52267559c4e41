package io.kvstore.server.http.message;

import io.kvstore.server.edge.ByteBudget;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The body of a request, in the pieces in which it arrived, and the heap that it claims. Used by one thread at a time. */
public final class Body implements AutoCloseable {

    private final ByteBudget.Claim heap;
    private final List<byte[]> pieces = new ArrayList<>();
    private int size;

    public Body(ByteBudget.Claim heap) {
        this.heap = heap;
    }

    /** A body that has no bytes. */
    static Body empty() {
        return new Body(new ByteBudget(0).claim());
    }

    /** Takes a piece, or refuses the request because other requests have the heap. */
    public void add(byte[] piece) {
        heap.take(piece.length);
        pieces.add(piece);
        size += piece.length;
    }

    public int size() {
        return size;
    }

    /** All bytes in one array. The pieces go, so this is the last that is asked of it. */
    public byte[] toByteArray() {
        if (pieces.size() == 1) {
            return pieces.getFirst();
        }
        heap.take(size);
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
     * All bytes, to be read once; what is made of them is claimed as well, as long as the request lasts.
     *
     * @param copies how many times its size the result may have at most
     */
    public InputStream stream(int copies) {
        heap.take((long) copies * size);
        return new SequenceInputStream(Collections.enumeration(
                pieces.stream().<InputStream>map(ByteArrayInputStream::new).toList()));
    }

    /** The request has ended. Whoever still reads it does so undisturbed. */
    @Override
    public void close() {
        heap.close();
    }
}
