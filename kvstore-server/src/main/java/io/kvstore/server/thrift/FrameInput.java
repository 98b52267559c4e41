package io.kvstore.server.thrift;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.thrift.transport.TEndpointTransport;
import org.apache.thrift.transport.TTransportException;

/**
 * Reads frames. A frame is a length of 4 bytes, big-endian, and that number of bytes. The buffer grows as bytes arrive, not as
 * a length announces. Its bytes beyond {@link Limits#FREE_BYTES} come out of the budget. A protocol reads the frame in place.
 * Used by one thread at a time.
 */
final class FrameInput extends TEndpointTransport {

    private static final int LENGTH_BYTES = 4;
    private static final byte[] NONE = new byte[0];

    private final InputStream in;
    private final ByteBudget budget;
    private final BufferPool pool;
    private final int maxFrameBytes;
    private byte[] buffer = new byte[Limits.KEPT_BYTES];

    /** Bytes that were read and not used are from here to {@link #end}. The frame ends at {@link #frameEnd}. */
    private int position;

    private int frameEnd;
    private int end;
    private int takenBytes;

    FrameInput(InputStream in, Shared shared) throws TTransportException {
        super(shared.limits());
        this.in = in;
        this.budget = shared.budget();
        this.pool = shared.pool();
        this.maxFrameBytes = shared.maxFrameBytes();
    }

    /**
     * Waits for the first bytes of the next frame and returns its length. Unread bytes of the last frame are dropped.
     *
     * @return the length; -1 when the client ended the connection
     */
    int awaitFrame() throws IOException {
        position = frameEnd;
        compact();
        while (end < LENGTH_BYTES) {
            if (!fill()) {
                return -1;
            }
        }
        int length = (buffer[0] & 0xff) << 24 | (buffer[1] & 0xff) << 16 | (buffer[2] & 0xff) << 8 | (buffer[3] & 0xff);
        position = LENGTH_BYTES;
        return length;
    }

    /**
     * Reads the rest of a frame whose length is known.
     *
     * @throws ProblemException if the frame is too large for the server, or for the memory that is free now. In that case the
     *     frame was read to its end, and its head can be read
     */
    void readFrame(int length) throws IOException {
        int total = LENGTH_BYTES + length;
        if (length > maxFrameBytes) {
            discard(total);
            throw new ProblemException(Problem.beyond(
                    ProblemCode.TOO_LARGE,
                    "the call has " + length + " bytes; at most " + maxFrameBytes + " are taken: send less at a time",
                    maxFrameBytes,
                    length));
        }
        while (end < total) {
            if (end == buffer.length) {
                growOrDiscard(total);
            }
            if (!fill()) {
                throw new IOException("the connection ended within a frame");
            }
        }
        frameEnd = total;
    }

    /** Reads a frame that is refused. Its head stays in the buffer. */
    private void discard(int total) throws IOException {
        while (end < Math.min(total, Limits.KEPT_BYTES)) {
            if (!fill()) {
                throw new IOException("the connection ended within a frame");
            }
        }
        int head = Math.min(end, total);
        byte[] scratch = new byte[Limits.KEPT_BYTES];
        for (long left = (long) total - end; left > 0; ) {
            int read = in.read(scratch, 0, (int) Math.min(scratch.length, left));
            if (read < 0) {
                throw new IOException("the connection ended within a frame");
            }
            left -= read;
        }
        frameEnd = head;
    }

    /** Moves unused bytes to the front of the buffer. Replaces a large buffer by a small one if they fit into it. */
    private void compact() {
        int rest = end - position;
        if (buffer.length > Limits.KEPT_BYTES && rest <= Limits.KEPT_BYTES) {
            byte[] small = new byte[Limits.KEPT_BYTES];
            System.arraycopy(buffer, position, small, 0, rest);
            pool.giveBack(buffer);
            buffer = small;
            giveBack();
        } else if (position > 0) {
            System.arraycopy(buffer, position, buffer, 0, rest);
        }
        position = 0;
        frameEnd = 0;
        end = rest;
    }

    private void growOrDiscard(int total) throws IOException {
        try {
            grow(total);
        } catch (ProblemException e) {
            discard(total);
            throw e;
        }
    }

    private void grow(int total) {
        int bytes = (int) Math.min(total, 2L * buffer.length);
        if (bytes <= Limits.FREE_BYTES) {
            buffer = Arrays.copyOf(buffer, bytes);
            return;
        }
        int size = BufferPool.sizeFor(bytes);
        budget.take(size - takenBytes, takenBytes, ProblemCode.TOO_LARGE, () -> "the call");
        takenBytes = size;
        byte[] larger = pool.take(size);
        System.arraycopy(buffer, 0, larger, 0, end);
        pool.giveBack(buffer);
        buffer = larger;
    }

    private boolean fill() throws IOException {
        int read = in.read(buffer, end, buffer.length - end);
        end += Math.max(read, 0);
        return read >= 0;
    }

    private void giveBack() {
        budget.giveBack(takenBytes);
        takenBytes = 0;
    }

    /** The first byte of the frame, which tells its protocol. -1 for an empty frame. */
    int firstByte() {
        return position < frameEnd ? buffer[position] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws TTransportException {
        int bytes = Math.min(length, frameEnd - position);
        if (bytes == 0 && length > 0) {
            throw new TTransportException(TTransportException.END_OF_FILE, "the frame is too short for what it holds");
        }
        System.arraycopy(buffer, position, into, offset, bytes);
        position += bytes;
        return bytes;
    }

    @Override
    public byte[] getBuffer() {
        return buffer;
    }

    @Override
    public int getBufferPosition() {
        return position;
    }

    @Override
    public int getBytesRemainingInBuffer() {
        return frameEnd - position;
    }

    @Override
    public void consumeBuffer(int bytes) {
        position += bytes;
    }

    /** Refuses a field that would be longer than the rest of its frame. */
    @Override
    public void checkReadBytesAvailable(long bytes) throws TTransportException {
        if (bytes < 0 || bytes > frameEnd - position) {
            throw new TTransportException(
                    TTransportException.MESSAGE_SIZE_LIMIT, "a field or list is longer than the frame it is in");
        }
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void open() {
        throw new IllegalStateException("a connection is open from its start");
    }

    @Override
    public void write(byte[] from, int offset, int length) {
        throw new IllegalStateException("this is the reading side");
    }

    /** Gives memory back. The owner of the socket closes it. */
    @Override
    public void close() {
        giveBack();
        position = 0;
        frameEnd = 0;
        end = 0;
        byte[] used = buffer;
        buffer = NONE;
        pool.giveBack(used);
    }
}
