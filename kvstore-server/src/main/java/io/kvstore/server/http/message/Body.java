package io.kvstore.server.http.message;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.ProblemCode;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** The body of a request as it arrives, and the heap memory that it claims. Used by one thread at a time. */
public final class Body implements AutoCloseable {

    private final ByteBudget.Claim heap;
    private final Pieces pieces = new Pieces();

    public Body(ByteBudget.Claim heap) {
        this.heap = heap;
    }

    /** A body without bytes. */
    static Body empty() {
        return new Body(new ByteBudget(0).claim(ProblemCode.TOO_LARGE));
    }

    /** Adds the bytes that have arrived, or refuses the request because other requests take the heap memory. */
    public void add(ByteBuffer arrived) {
        heap.take(pieces.growth(arrived.remaining()), () -> "the body");
        pieces.add(arrived);
    }

    public int size() {
        return pieces.size();
    }

    /** All bytes in one array. The body must not be used afterwards, because its pieces may be gone. */
    public byte[] toByteArray() {
        if (!pieces.isOneArray()) {
            heap.take(pieces.size(), () -> "the body");
        }
        byte[] whole = pieces.toByteArray();
        pieces.clear();
        return whole;
    }

    /**
     * All bytes, to be read once. The memory of the objects that are made of them is claimed until the request ends.
     *
     * @param copies the size of these objects, at most, as a multiple of the body's
     */
    public InputStream stream(int copies) {
        heap.take((long) copies * pieces.size(), () -> "the body");
        return pieces.stream();
    }

    /** Gives the claimed memory back when the request has ended. A thread that still reads the bytes is not disturbed. */
    @Override
    public void close() {
        heap.close();
    }
}
