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
 * budget. The larger part of an answer may be gathered {@link #apart}, before what comes in front of it is known. Used by one
 * thread at a time.
 */
final class FrameOutput extends TEndpointTransport {

    private static final int LENGTH_BYTES = 4;

    /** What comes in front of a part that was gathered apart has so many bytes at most. */
    private static final int FRONT_BYTES = 64;

    private final OutputStream out;
    private final ByteBudget budget;
    private final IntConsumer taking;
    private final BufferPool pool;
    private final IntConsumer beforeWriting;
    private final int maxFrameBytes;

    /** Where an answer begins that is gathered from its beginning. */
    private final int home;

    private byte[] buffer = new byte[1 << 10];

    /** The answer is from here to {@link #end}; its length goes in front of it. */
    private int begin;

    private int end;
    private int takenBytes;

    /** How long the answer will be, as far as is known. */
    private int expectedBytes;

    /** @param beforeWriting is told how many bytes are going to be written */
    FrameOutput(OutputStream out, Shared shared, IntConsumer beforeWriting) throws TTransportException {
        this(out, shared, beforeWriting, shared.budget()::take, LENGTH_BYTES);
    }

    private FrameOutput(OutputStream out, Shared shared, IntConsumer beforeWriting, IntConsumer taking, int home)
            throws TTransportException {
        super(shared.limits());
        this.taking = taking;
        this.home = home;
        this.begin = home;
        this.end = home;
        this.out = out;
        this.budget = shared.budget();
        this.pool = shared.pool();
        this.beforeWriting = beforeWriting;
        this.maxFrameBytes = shared.maxFrameBytes();
    }

    /**
     * For the part of an answer that is gathered before another one takes it by {@link #append}; it is never flushed.
     *
     * @param taking takes bytes out of the budget
     */
    static FrameOutput apart(Shared shared, IntConsumer taking) throws TTransportException {
        return new FrameOutput(
                OutputStream.nullOutputStream(), shared, bytes -> {}, taking, LENGTH_BYTES + FRONT_BYTES);
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

    /** How much was gathered. */
    int size() {
        return end - begin;
    }

    /** Goes on behind what was gathered apart, which takes no copy; what was gathered here stays in front of it. */
    void append(FrameOutput apart) {
        int front = size();
        if (front > FRONT_BYTES) {
            throw new IllegalStateException("there are " + front + " bytes in front of a part of an answer");
        }
        System.arraycopy(buffer, begin, apart.buffer, apart.begin - front, front);
        byte[] small = buffer;
        int taken = takenBytes;
        buffer = apart.buffer;
        begin = apart.begin - front;
        end = apart.end;
        takenBytes = apart.takenBytes;
        apart.buffer = small;
        apart.takenBytes = taken;
        apart.drop();
    }

    private void grow(long needed) {
        if (needed - begin > maxFrameBytes) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.ANSWER_TOO_LARGE,
                    "the answer has more than " + maxFrameBytes + " bytes: ask for less at a time",
                    maxFrameBytes,
                    needed - begin));
        }
        int bytes = (int) needed;
        if (Math.max(bytes, expectedBytes) <= Limits.FREE_BYTES) {
            buffer = Arrays.copyOf(buffer, Math.min(2 * bytes, Limits.FREE_BYTES));
            return;
        }
        int size = BufferPool.sizeFor(Math.max(Math.max(bytes, expectedBytes + begin), (int)
                Math.min(2L * buffer.length, (long) maxFrameBytes + begin)));
        taking.accept(size - takenBytes);
        takenBytes = size;
        byte[] larger = pool.take(size);
        System.arraycopy(buffer, 0, larger, 0, end);
        pool.giveBack(buffer);
        buffer = larger;
    }

    /** Forgets what was gathered. */
    void drop() {
        begin = home;
        end = home;
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
        int length = size();
        int head = begin - LENGTH_BYTES;
        buffer[head] = (byte) (length >> 24);
        buffer[head + 1] = (byte) (length >> 16);
        buffer[head + 2] = (byte) (length >> 8);
        buffer[head + 3] = (byte) length;
        beforeWriting.accept(LENGTH_BYTES + length);
        try {
            out.write(buffer, head, LENGTH_BYTES + length);
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
