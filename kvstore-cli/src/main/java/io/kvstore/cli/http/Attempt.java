package io.kvstore.cli.http;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a call, in a virtual thread of its own, because a call of the library ends only with its connection. The
 * caller waits for what it gives, and may give it up at any moment.
 *
 * <p>There is no lock. The latch is opened after the fields that it guards were written.
 */
final class Attempt<T> {

    private final HttpUriRequestBase request;
    private final Taker<T> taker;
    private final Thread thread;
    private final CountDownLatch done = new CountDownLatch(1);
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

    /** @param atEnd called at the end of the thread, when it has no connection any more */
    Attempt(HttpUriRequestBase request, Sender sender, Taker<T> taker, Consumer<Attempt<?>> atEnd) {
        this.request = request;
        this.taker = taker;
        this.thread = Thread.ofVirtual().name("kvstore-http").unstarted(() -> {
            try {
                run(sender);
            } finally {
                atEnd.accept(this);
            }
        });
    }

    void start() {
        thread.start();
    }

    private void run(Sender sender) {
        try {
            taker.take(sender.send(request), this);
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        } finally {
            request.cancel(); // ends the connection, unless the answer is whole and the connection is back in the pool
            done.countDown();
        }
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
     * Ends the connection and the thread, unless the answer is whole. A connection that is back in the pool stays there: only
     * one of the two takes it from the request.
     */
    void abandon() {
        request.cancel();
        thread.interrupt(); // it may wait for room for the next part
    }
}
