package io.kvstore.server.http.message;

import io.kvstore.server.edge.ByteBudget;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** The lines of a body of any length, one at a time. A long line claims the heap memory that reading it takes. */
public final class LineReader implements AutoCloseable {

    private final InputStream in;
    private final ByteBudget.Claim heap;
    private final byte[] arrived = new byte[Limits.STREAM_CHUNK_BYTES];
    private final ByteBuffer part = ByteBuffer.wrap(arrived);
    private final Pieces line = new Pieces();
    private int position;
    private int limit;

    public LineReader(InputStream in, ByteBudget.Claim heap) {
        this.in = in;
        this.heap = heap;
    }

    /**
     * Goes to the next line. Returns false if there is none.
     *
     * @throws LineTooLongException if the line has more than {@link Limits#LINE_BYTES}
     * @throws io.kvstore.server.edge.ProblemException if there is no memory for the line; the code is {@code TOO_LARGE} if
     *     there can never be
     */
    public boolean next() throws IOException {
        heap.giveBackAll();
        line.clear();
        boolean isAnyRead = false;
        while (position < limit || fill()) {
            isAnyRead = true;
            int end = position;
            while (end < limit && arrived[end] != '\n') {
                end++;
            }
            add(part.clear().limit(end).position(position));
            boolean isEnded = end < limit;
            position = isEnded ? end + 1 : end;
            if (isEnded) {
                return true;
            }
        }
        return isAnyRead;
    }

    private boolean fill() throws IOException {
        position = 0;
        limit = Math.max(0, in.read(arrived));
        return limit > 0;
    }

    private void add(ByteBuffer more) {
        int size = line.size() + more.remaining();
        if (size > Limits.LINE_BYTES) {
            throw new LineTooLongException();
        }
        if (size > arrived.length) {
            heap.take((long) Limits.LINE_COPIES * more.remaining(), () -> "it");
        }
        line.add(more);
    }

    /** Whether the line has only blanks. A byte order mark counts as blank. */
    public boolean isBlank() {
        return line.isBlank();
    }

    /** Reads the line as a JSON document. */
    public <T> T json(Json.Reading<T> reading) {
        return line.isOneArray() ? Json.read(line.toByteArray(), reading) : Json.read(stream(), reading);
    }

    /** The bytes of the line, to be read once. */
    InputStream stream() {
        return line.stream();
    }

    @Override
    public void close() {
        heap.close();
    }

    /** Thrown if a line has more bytes than any line may have. */
    public static final class LineTooLongException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        LineTooLongException() {
            super("it has more than " + Limits.LINE_BYTES + " bytes", null, false, false);
        }
    }
}
