package io.kvstore.server.thrift;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.apache.thrift.transport.TEndpointTransport;
import org.apache.thrift.transport.TTransportException;

/**
 * Gathers an answer and writes it as one frame. What the buffer has beyond {@link Limits#FREE_BYTES} comes out of the
 * budget. Used by one thread at a time.
 */
final class FrameOutput extends TEndpointTransport {

    private static final int LENGTH_BYTES = 4;

    private final OutputStream out;
    private final ByteBudget budget;
    private final BufferPool pool;
    private final IntConsumer beforeWriting;
    private final int maxFrameBytes;
    private byte[] buffer = new byte[1 << 10];
    private int end = LENGTH_BYTES;
    private int takenBytes;

    /** How long the answer will be, as far as is known. */
    private int expectedBytes;

    /** @param beforeWriting is told how many bytes are going to be written */
    FrameOutput(OutputStream out, Shared shared, IntConsumer beforeWriting) throws TTransportException {
        super(shared.limits());
        this.out = out;
        this.budget = shared.budget();
        this.pool = shared.pool();
        this.beforeWriting = beforeWriting;
        this.maxFrameBytes = shared.maxFrameBytes();
    }

    /**
     * @throws ProblemException if the answer is too large for a frame, or for the memory that is left; {@link #drop} it then
     */
    @Override
    public void write(byte[] from, int offset, int length) {
        if (length > buffer.length - end) {
            grow((long) end + length);
        }
        System.arraycopy(from, offset, buffer, end, length);
        end += length;
    }

    /** Without the copy that the library's own would make. */
    @Override
    public int write(ByteBuffer from) {
        int length = from.remaining();
        if (length > buffer.length - end) {
            grow((long) end + length);
        }
        from.get(buffer, end, length);
        end += length;
        return length;
    }

    /** Tells that so many bytes are going to be written, so that the buffer need not grow step by step. */
    void expect(int bytes) {
        expectedBytes = (int) Math.min((long) expectedBytes + bytes, maxFrameBytes);
    }

    private void grow(long needed) {
        if (needed > (long) maxFrameBytes + LENGTH_BYTES) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.ANSWER_TOO_LARGE,
                    "the answer has more than " + maxFrameBytes + " bytes: ask for less at a time",
                    maxFrameBytes,
                    needed - LENGTH_BYTES));
        }
        int bytes = (int) needed;
        if (bytes <= Limits.FREE_BYTES) {
            buffer = Arrays.copyOf(buffer, Math.min(2 * bytes, Limits.FREE_BYTES));
            return;
        }
        int size = BufferPool.sizeFor(Math.max(Math.max(bytes, expectedBytes + LENGTH_BYTES), (int)
                Math.min(2L * buffer.length, (long) maxFrameBytes + LENGTH_BYTES)));
        budget.take(size - takenBytes);
        takenBytes = size;
        byte[] larger = pool.take(size);
        System.arraycopy(buffer, 0, larger, 0, end);
        pool.giveBack(buffer);
        buffer = larger;
    }

    /** Forgets what was gathered. */
    void drop() {
        end = LENGTH_BYTES;
        expectedBytes = 0;
        budget.giveBack(takenBytes);
        takenBytes = 0;
        if (buffer.length > Limits.KEPT_BYTES) {
            byte[] used = buffer;
            buffer = new byte[Limits.KEPT_BYTES];
            pool.giveBack(used);
        }
    }

    @Override
    public void flush() throws TTransportException {
        int length = end - LENGTH_BYTES;
        buffer[0] = (byte) (length >> 24);
        buffer[1] = (byte) (length >> 16);
        buffer[2] = (byte) (length >> 8);
        buffer[3] = (byte) length;
        beforeWriting.accept(end);
        try {
            out.write(buffer, 0, end);
        } catch (IOException e) {
            throw new TTransportException(TTransportException.UNKNOWN, e);
        } finally {
            drop();
        }
    }

    @Override
    public int read(byte[] into, int offset, int length) {
        throw new IllegalStateException("this is the writing side");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void open() {
        throw new IllegalStateException("a connection is open from its start");
    }

    /** Gives memory back; the socket is its owner's to close. */
    @Override
    public void close() {
        drop();
    }
}
