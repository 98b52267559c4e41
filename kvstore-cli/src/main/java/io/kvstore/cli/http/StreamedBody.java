package io.kvstore.cli.http;

import io.kvstore.cli.console.SteppedWait;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Passes the body of an answer on as it comes, whatever its length. Three parts of it are in memory, and used again and again.
 * One thread fills parts, and one other thread reads them. Ctrl-C ends the wait of the reader.
 *
 * <p>There is no lock. A part belongs to the thread that took it from a queue, until that thread puts it into the other queue.
 */
final class StreamedBody extends InputStream {

    private static final int PARTS = 3;
    private static final int PART_BYTES = 16 << 10;

    /** How a wait for bytes may end. */
    interface Waiting {

        /** Called while the reader waits. It may throw to end the wait. */
        void check();

        /** The failure of a body that ended before it was whole, or of which nothing came in time if the cause is null. */
        RuntimeException failure(@Nullable Throwable cause);
    }

    /** Bytes that have come. The one without room is the end of the body. */
    private static final class Part {
        private final byte[] bytes;
        private int from;
        private int to;

        Part(int room) {
            bytes = new byte[room];
        }
    }

    private final Waiting waiting;
    private final Runnable ending;
    private final long limitNanos;
    private final BlockingQueue<Part> free = new ArrayBlockingQueue<>(PARTS);

    /** It has room for the end, so that no thread ever waits to put anything into it. */
    private final BlockingQueue<Part> full = new ArrayBlockingQueue<>(PARTS + 1);

    private final Part end = new Part(0);

    /** Why the body is not whole; written before its end is put into the queue. */
    private @Nullable Throwable failure;

    private @Nullable Part present;

    /**
     * @param ending ends the connection, and the wait of the thread that fills
     * @param limitMillis how long the reader waits for the next part
     */
    StreamedBody(Waiting waiting, Runnable ending, long limitMillis) {
        this.waiting = waiting;
        this.ending = ending;
        this.limitNanos = TimeUnit.MILLISECONDS.toNanos(limitMillis);
        for (int i = 0; i < PARTS; i++) {
            free.add(new Part(PART_BYTES));
        }
    }

    /**
     * Takes all bytes of the connection to the reader. It ends when they end, or when it is interrupted, and throws nothing:
     * the reader is told.
     */
    void fill(InputStream in) {
        try {
            while (true) {
                Part part = free.take();
                part.from = 0;
                part.to = in.read(part.bytes);
                if (part.to < 0) {
                    break;
                }
                full.add(part);
            }
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            failure = e;
        } finally {
            full.add(end);
        }
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
        if (length == 0) {
            return 0;
        }
        Part part = present;
        while (part == null || part.from == part.to) {
            if (part == end) {
                return ended();
            }
            if (part != null) {
                free.add(part);
                present = null;
            }
            part = await();
            present = part;
        }
        int count = Math.min(length, part.to - part.from);
        System.arraycopy(part.bytes, part.from, into, offset, count);
        part.from += count;
        return count;
    }

    private int ended() {
        if (failure instanceof Error e) {
            throw e;
        }
        if (failure != null) {
            throw waiting.failure(failure);
        }
        return -1;
    }

    private Part await() {
        try {
            return SteppedWait.of(this::poll, limitNanos, waiting::check);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw waiting.failure(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing is computed here", e);
        } catch (TimeoutException _) {
            throw waiting.failure(null);
        }
    }

    private Part poll(long nanos) throws InterruptedException, TimeoutException {
        Part part = full.poll(nanos, TimeUnit.NANOSECONDS);
        if (part == null) {
            throw new TimeoutException();
        }
        return part;
    }

    /** Ends the connection if the body is not at its end. */
    @Override
    public void close() {
        ending.run();
    }
}
