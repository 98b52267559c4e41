package io.kvstore.cli.http;

import io.kvstore.cli.console.SteppedWait;
import io.kvstore.client.ClientOptions;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests and takes answers, each within the time of a call. Repeats what is safe to repeat, as the clients over Thrift
 * do. Safe for several threads.
 *
 * <p>There is no lock. An attempt has a slot from before a thread takes it until that thread has no connection any more, so the
 * pool always has one for it. An attempt is among those that run before it looks whether the client is closed, and closing ends
 * those that it finds.
 */
final class Exchange implements AutoCloseable {

    /** The longest answer, which is held in memory. A page has up to 16 MiB, and a third more as text. */
    static final int MOST_ANSWER_BYTES = 64 << 20;

    /** How many connections a client has at most. A call beyond them waits for one within its time. */
    static final int MOST_CONNECTIONS = 64;

    private static final long[] PAUSES_MILLIS = {50, 250};

    private final ClientOptions options;
    private final String base;
    private final int mostConnections;
    private final Connections connections;
    private final CallFailures failures;
    private final Semaphore slots;

    /**
     * They end with the client. They are threads of the system: a JVM whose virtual threads have waited for a socket takes
     * 300 ms longer to end, because it waits for the thread that looks after the sockets, which never comes back.
     */
    private final ExecutorService threads = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("kvstore-http-", 0).factory());

    private final Set<Attempt<?>> running = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closing = new CountDownLatch(1);

    Exchange(ClientOptions options) {
        this(options, MOST_CONNECTIONS);
    }

    Exchange(ClientOptions options, int mostConnections) {
        this.options = options;
        String host = options.host().indexOf(':') < 0 ? options.host() : "[" + options.host() + "]";
        this.base = (options.tls() ? "https://" : "http://") + host + ":" + options.port();
        this.mostConnections = mostConnections;
        this.connections = new Connections(options, mostConnections);
        this.failures = new CallFailures(options, base, this::isClosed);
        this.slots = new Semaphore(mostConnections, true);
    }

    /**
     * Makes a call. Returns an answer that says that the call was done, one of status 404 that says that the key has no value,
     * or one of status 304 if a condition was sent.
     *
     * @throws KVClientException if the call failed
     */
    Answer send(Call call) {
        return repeated(call, () -> {}, waits -> {
            Answer answer = attempt(call, waits, (response, attempt) -> attempt.give(whole(response)));
            if (answer.isSuccess() || isKnown(call, answer) || Problems.isMissingKey(answer)) {
                return answer;
            }
            throw Problems.of(answer, call.purpose());
        });
    }

    /** What came for a read whose answer has any length. */
    private sealed interface Opened {}

    private record Streamed(StreamedBody body) implements Opened {}

    /** An answer of another type, such as a problem. */
    private record Other(Answer answer) implements Opened {}

    /**
     * Begins a read whose answer has any length. The time of a call bounds the wait for the begin of the answer, and then each
     * wait for more of it.
     *
     * @param whileWaiting called while the answer is waited for; it may throw to end the wait
     * @throws KVClientException if the call failed; reading the answer throws it, too
     */
    InputStream open(Call call, String type, Runnable whileWaiting) {
        Call typed = call.with("Accept", type);
        StreamedBody.Waiting waiting = new Waiting(call, whileWaiting);
        return repeated(call, whileWaiting, waits -> {
            Opened opened = attempt(typed, waits, (response, attempt) -> {
                Map<String, String> headers = Connections.headers(response);
                HttpEntity body = response.getEntity();
                if (body == null
                        || response.getCode() != Answer.OK
                        || !headers.getOrDefault("Content-Type", "").startsWith(type)) {
                    attempt.give(new Other(whole(response)));
                    return;
                }
                StreamedBody stream = new StreamedBody(waiting, attempt::abandon, options.timeoutMillis());
                attempt.give(new Streamed(stream));
                stream.fill(body.getContent());
            });
            return switch (opened) {
                case Streamed(StreamedBody body) -> body;
                case Other(Answer answer) -> throw Problems.of(answer, call.purpose());
            };
        });
    }

    private static Answer whole(ClassicHttpResponse response) throws IOException {
        HttpEntity body = response.getEntity();
        byte[] bytes = body == null
                ? new byte[0]
                : BoundedBody.read(body.getContent(), MOST_ANSWER_BYTES, body.getContentLength());
        return new Answer(response.getCode(), Connections.headers(response), bytes);
    }

    /** Waits of a reader of an answer of any length. */
    private final class Waiting implements StreamedBody.Waiting {

        private final Call call;
        private final Runnable whileWaiting;

        Waiting(Call call, Runnable whileWaiting) {
            this.call = call;
            this.whileWaiting = whileWaiting;
        }

        @Override
        public void check() {
            whileWaiting.run();
        }

        @Override
        public RuntimeException failure(@Nullable Throwable cause) {
            return switch (cause) {
                case null -> failures.stuck(call);
                case InterruptedException e -> CallFailures.interrupted(call, e);
                default -> failures.broken(call, cause);
            };
        }
    }

    /** The waits of a call. They end at a moment of {@link System#nanoTime}, or when the task that runs meanwhile throws. */
    private record Waits(long deadline, Runnable meanwhile) {}

    /** An attempt at a call, which is made again if it failed and may be repeated. */
    @FunctionalInterface
    private interface Repeatable<T> {
        T run(Waits waits);
    }

    private <T> T repeated(Call call, Runnable meanwhile, Repeatable<T> once) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis());
        Waits waits = new Waits(deadline, meanwhile);
        for (int attempt = 0; ; attempt++) {
            try {
                return once.run(waits);
            } catch (KVClientException e) {
                if (attempt == PAUSES_MILLIS.length
                        || !mayRepeat(call, e)
                        || !pause(PAUSES_MILLIS[attempt], deadline)) {
                    throw e;
                }
            }
        }
    }

    /** Whether it says that the value is the one of the condition that was sent. */
    private static boolean isKnown(Call call, Answer answer) {
        return answer.status() == Answer.NOT_MODIFIED
                && call.purpose() == Call.Purpose.READ
                && call.headers().containsKey("If-None-Match");
    }

    private HttpUriRequestBase request(Call call) {
        try {
            return Connections.request(base, call, options.token());
        } catch (IllegalArgumentException e) {
            // Its message may have the token.
            throw KVClientException.invalid("the host or the token has a letter that no request over HTTP takes");
        }
    }

    private <T> T attempt(Call call, Waits waits, Attempt.Taker<T> taker) {
        if (isClosed()) {
            throw CallFailures.closed();
        }
        HttpUriRequestBase request = request(call);
        awaitSlot(waits);
        Attempt<T> attempt = start(request, taker);
        boolean isDone = false;
        try {
            T given = SteppedWait.of(attempt::await, waits.deadline - System.nanoTime(), waits.meanwhile);
            isDone = true;
            return given;
        } catch (TimeoutException e) {
            throw failures.unanswered(call, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CallFailures.interrupted(call, e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof Error error) {
                throw error;
            }
            throw failures.failed(call, cause);
        } finally {
            if (!isDone) {
                attempt.abandon();
            }
        }
    }

    private void awaitSlot(Waits waits) {
        try {
            boolean _ = SteppedWait.of(this::takeSlot, waits.deadline - System.nanoTime(), () -> {
                if (isClosed()) {
                    throw CallFailures.closed();
                }
                waits.meanwhile.run();
            });
        } catch (TimeoutException _) {
            throw failures.allInUse(mostConnections);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CallFailures.interruptedBefore(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing is computed here", e);
        }
    }

    private boolean takeSlot(long nanos) throws InterruptedException, TimeoutException {
        if (!slots.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
            throw new TimeoutException();
        }
        return true;
    }

    /** Starts an attempt, which gives its slot back when it ends. */
    private <T> Attempt<T> start(HttpUriRequestBase request, Attempt.Taker<T> taker) {
        boolean isStarted = false;
        Attempt<T> attempt = new Attempt<>(request, taker);
        running.add(attempt);
        try {
            threads.execute(() -> {
                try {
                    attempt.run(connections::send);
                } finally {
                    end(attempt);
                }
            });
            isStarted = true;
        } catch (RejectedExecutionException e) {
            throw CallFailures.closed();
        } finally {
            if (!isStarted) {
                end(attempt);
            }
        }
        if (isClosed()) {
            attempt.abandon();
        }
        return attempt;
    }

    private void end(Attempt<?> attempt) {
        running.remove(attempt);
        slots.release();
    }

    private static boolean mayRepeat(Call call, KVClientException failure) {
        return failure.isRetryable()
                && failure.code() != ErrorCode.TIMED_OUT
                && (call.purpose() == Call.Purpose.READ || failure.outcome() == Outcome.REJECTED);
    }

    private boolean isClosed() {
        return closing.getCount() == 0;
    }

    /** Waits; returns false if the time of the call ends before, or as the other. */
    private boolean pause(long millis, long deadline) {
        return deadline - System.nanoTime() > TimeUnit.MILLISECONDS.toNanos(millis) && pause(millis);
    }

    /** Waits; returns false if the client is closed before, or the thread was interrupted. */
    boolean pause(long millis) {
        try {
            return !closing.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        closing.countDown();
        running.forEach(Attempt::abandon);
        threads.shutdown();
        connections.close();
    }
}
