package io.kvstore.cli.http;

import io.kvstore.cli.console.SteppedWait;
import java.io.InputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Passes the body of an answer on as it comes, whatever its length. At most three parts of it are in memory. A thread of the
 * connection gives parts, and one other thread reads. Ctrl-C ends the wait of the reader.
 */
final class StreamedBody extends InputStream implements BodySubscriber<InputStream> {

    /** Beside the part that is read, two are asked for. The end of the body comes without being asked for. */
    private static final int MOST_PARTS = 3;

    /** How a wait for bytes may end. */
    interface Waiting {

        /** Called while the reader waits. It may throw to end the wait. */
        void check();

        /** The failure of a body that ended before it was whole, or of which nothing came in time if the cause is null. */
        RuntimeException failure(@Nullable Throwable cause);
    }

    /** What the connection has given. */
    private sealed interface Part {}

    private record Bytes(List<ByteBuffer> buffers) implements Part {}

    /** @param failure null if the body is whole */
    private record End(@Nullable Throwable failure) implements Part {}

    private final Waiting waiting;
    private final long limitNanos;
    private final BlockingQueue<Part> parts = new ArrayBlockingQueue<>(MOST_PARTS);
    private final CompletableFuture<InputStream> body = CompletableFuture.completedFuture(this);
    private volatile @Nullable Subscription subscription;
    private volatile boolean isClosed;
    private List<ByteBuffer> present = List.of();
    private int next;
    private @Nullable End end;

    /** @param limitMillis how long the reader waits for the next part */
    StreamedBody(Waiting waiting, long limitMillis) {
        this.waiting = waiting;
        this.limitNanos = TimeUnit.MILLISECONDS.toNanos(limitMillis);
    }

    @Override
    public CompletionStage<InputStream> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Subscription given) {
        subscription = given;
        if (isClosed) {
            given.cancel();
        } else {
            given.request(MOST_PARTS - 1);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        parts.add(new Bytes(buffers));
    }

    @Override
    public void onError(Throwable failure) {
        parts.add(new End(failure));
    }

    @Override
    public void onComplete() {
        parts.add(new End(null));
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
        while (end == null) {
            if (next == present.size()) {
                take();
                continue;
            }
            ByteBuffer buffer = present.get(next);
            int count = Math.min(length, buffer.remaining());
            buffer.get(into, offset, count);
            next += buffer.hasRemaining() ? 0 : 1;
            if (count > 0) {
                return count;
            }
        }
        if (end.failure != null) {
            throw waiting.failure(end.failure);
        }
        return -1;
    }

    private void take() {
        switch (await()) {
            case Bytes bytes -> {
                present = bytes.buffers;
                next = 0;
                Subscription asked = subscription;
                if (asked != null) {
                    asked.request(1);
                }
            }
            case End last -> end = last;
        }
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
        Part part = parts.poll(nanos, TimeUnit.NANOSECONDS);
        if (part == null) {
            throw new TimeoutException();
        }
        return part;
    }

    /** Ends the connection if the body is not at its end. */
    @Override
    public void close() {
        isClosed = true; // the connection may not have begun yet
        Subscription asked = subscription;
        if (asked != null) {
            asked.cancel();
        }
    }
}
