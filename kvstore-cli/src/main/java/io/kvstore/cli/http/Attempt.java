package io.kvstore.cli.http;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a call, in a thread beside the caller's, because a call of the library ends only with its connection. The
 * caller waits for what it gives, and may give it up at any moment.
 *
 * <p>The monitor guards the thread, so that an interrupt meets this attempt and not the next one of the same thread. The latch
 * is opened after the fields that it guards were written.
 */
final class Attempt<T> {

    private final HttpUriRequestBase request;
    private final Taker<T> taker;
    private final CountDownLatch done = new CountDownLatch(1);
    private @Nullable Thread runner;
    private @Nullable T given;
    private @Nullable Throwable failure;

    /** Sends a request, and waits for the head of its answer. */
    @FunctionalInterface
    interface Sender {
        ClassicHttpResponse send(HttpUriRequestBase request) throws IOException;
    }

    /** Takes an answer in the thread of the attempt, and gives the caller what it waits for. */
    @FunctionalInterface
    interface Taker<T> {
        void take(ClassicHttpResponse response, Attempt<T> attempt) throws IOException;
    }

    Attempt(HttpUriRequestBase request, Taker<T> taker) {
        this.request = request;
        this.taker = taker;
    }

    /** Makes the attempt in this thread, which has no connection any more when it returns. It throws nothing. */
    void run(Sender sender) {
        begin(Thread.currentThread());
        try {
            taker.take(sender.send(request), this);
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        } finally {
            request.cancel(); // ends the connection, unless the answer is whole and the connection is back in the pool
            end();
            done.countDown();
        }
    }

    private synchronized void begin(Thread self) {
        runner = self;
    }

    private synchronized void end() {
        runner = null;
        boolean _ = Thread.interrupted();
    }

    /** Gives the caller what it waits for. */
    void give(T result) {
        given = result;
        done.countDown();
    }

    /**
     * What the thread gave.
     *
     * @throws ExecutionException for what the thread threw before it gave anything
     * @throws TimeoutException if the thread gave nothing in the time
     */
    T await(long nanos) throws InterruptedException, ExecutionException, TimeoutException {
        if (!done.await(nanos, TimeUnit.NANOSECONDS)) {
            throw new TimeoutException();
        }
        T result = given;
        if (result == null) {
            throw new ExecutionException(failure);
        }
        return result;
    }

    /**
     * Ends the connection and the attempt, unless the answer is whole. A connection that is back in the pool stays there: only
     * one of the two takes it from the request.
     */
    void abandon() {
        request.cancel();
        interrupt();
    }

    /** It may wait for room for the next part. Before its thread begins, the request says that it was given up. */
    private synchronized void interrupt() {
        if (runner != null) {
            runner.interrupt();
        }
    }
}
