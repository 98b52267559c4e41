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
 * Gathers an answer and writes it as one frame. The bytes of the buffer beyond {@link Limits#FREE_BYTES} come out of the
 * budget. The larger part of an answer may be gathered {@link #apart}, before the bytes in front of it are known. Used by one
 * thread at a time.
 */
final class FrameOutput extends TEndpointTransport {

    private static final int LENGTH_BYTES = 4;

    /** The most bytes that can go in front of a part that was gathered apart. */
    private static final int FRONT_BYTES = 64;

    private final OutputStream out;
    private final ByteBudget budget;
    private final Taking taking;
    private final BufferPool pool;
    private final IntConsumer beforeWriting;
    private final int maxFrameBytes;

    /** The offset where an empty answer begins. */
    private final int home;

    private byte[] buffer = new byte[1 << 10];

    /** The answer is from here to {@link #end}. Its length is written in front of it. */
    private int begin;

    private int end;
    private int takenBytes;

    /** The length that the answer is expected to reach. */
    private int expectedBytes;

    /** Whether the answer may no longer be refused for want of memory. */
    private boolean unrefused;

    /** Takes bytes of an answer out of the budget, or refuses the call. */
    @FunctionalInterface
    interface Taking {

        /** @param held the bytes that the answer has taken before */
        void take(int bytes, int held);

        /** Refuses a call whose answer can never have room in another way than one that has no room now. */
        static Taking refusing(ByteBudget budget) {
            return (bytes, held) -> budget.take(bytes, held, ProblemCode.ANSWER_TOO_LARGE, () -> "the answer");
        }
    }

    /** @param beforeWriting gets the number of bytes that are about to be written */
    FrameOutput(OutputStream out, Shared shared, IntConsumer beforeWriting) throws TTransportException {
        this(out, shared, beforeWriting, Taking.refusing(shared.budget()), LENGTH_BYTES);
    }

    private FrameOutput(OutputStream out, Shared shared, IntConsumer beforeWriting, Taking taking, int home)
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
     * Creates an output for a part of an answer. Another output takes the part by {@link #append}; the part is never flushed.
     *
     * @param taking takes bytes out of the budget
     */
    static FrameOutput apart(Shared shared, Taking taking) throws TTransportException {
        return new FrameOutput(
                OutputStream.nullOutputStream(), shared, bytes -> {}, taking, LENGTH_BYTES + FRONT_BYTES);
    }

    /**
     * @throws ProblemException if the answer is too large for a frame, or for the memory that is left. The caller must
     *     {@link #drop} the answer then
     */
    @Override
    public void write(byte[] from, int offset, int length) {
        if (length > buffer.length - end) {
            grow((long) end + length);
        }
        System.arraycopy(from, offset, buffer, end, length);
        end += length;
    }

    /** Writes the bytes without the copy that the library's method would make. */
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

    /** Announces that the given number of bytes follows, so that the buffer need not grow step by step. */
    void expect(int bytes) {
        expectedBytes = (int) Math.min((long) expectedBytes + bytes, maxFrameBytes);
    }

    /** As {@link #expect}, for an answer that may no longer be refused. Its memory may exceed the budget. */
    void expectAnyway(int bytes) {
        expect(bytes);
        unrefused = true;
    }

    /** The number of bytes that were gathered. */
    int size() {
        return end - begin;
    }

    /**
     * Puts the bytes that were gathered here in front of a part that was gathered apart, and takes over its buffer. The part is
     * not copied, and is empty afterwards.
     */
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
        if (unrefused) {
            budget.takeAnyway(size - takenBytes);
        } else {
            taking.take(size - takenBytes, takenBytes);
        }
        takenBytes = size;
        byte[] larger = pool.take(size);
        System.arraycopy(buffer, 0, larger, 0, end);
        pool.giveBack(buffer);
        buffer = larger;
    }

    /** Drops the bytes that were gathered. */
    void drop() {
        begin = home;
        end = home;
        expectedBytes = 0;
        unrefused = false;
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

    /** Gives memory back. The owner of the socket closes it. */
    @Override
    public void close() {
        drop();
    }
}
