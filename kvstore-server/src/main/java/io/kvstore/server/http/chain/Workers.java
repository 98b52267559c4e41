package io.kvstore.server.http.chain;

import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/**
 * The threads that answer requests. They are not those of the library, which ends its threads for I/O and for work at once: a
 * request that ends then needs a thread for I/O that is gone, and the library logs a stack trace. These end before. Safe for
 * use by several threads.
 */
public final class Workers {

    private final AtomicInteger made = new AtomicInteger();
    private final ThreadPoolExecutor threads;

    /** One of these threads. */
    private static final class Worker extends Thread {
        Worker(Runnable work, String name) {
            super(work, name);
        }
    }

    /** @param count the most threads; each is made when it is needed */
    public Workers(int count) {
        this(count, Worker::new);
    }

    /** @param factory makes a thread with some work and a name */
    Workers(int count, BiFunction<Runnable, String, Thread> factory) {
        this.threads = new ThreadPoolExecutor(
                count,
                count,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                work -> factory.apply(work, "http-" + made.incrementAndGet()),
                (_, _) -> {
                    // they have ended, and so has the connection that would be answered
                });
    }

    /** Whether the caller is one of these threads. */
    static boolean isHere() {
        return Thread.currentThread() instanceof Worker;
    }

    /** Has a request answered by one of these threads when its present handler returns. */
    void take(HttpServerExchange exchange, HttpHandler handler) {
        exchange.dispatch(this::execute, handler);
    }

    /**
     * Has something done by one of these threads. If the system has no further thread, one of those that are there does it.
     *
     * @throws RejectedExecutionException if there is none, and none can be made; the library answers 503
     */
    void execute(Runnable work) {
        try {
            threads.execute(work);
        } catch (OutOfMemoryError e) {
            if (threads.getPoolSize() == 0) {
                throw new RejectedExecutionException("no thread can be made", e);
            }
            threads.getQueue().add(work);
        }
    }

    /**
     * Interrupts the threads, and waits until they have ended. An interrupt ends only waits for clients.
     *
     * @return whether they ended in time
     */
    public boolean end(long millis) {
        threads.shutdownNow();
        try {
            return threads.awaitTermination(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
