package io.kvstore.server.thrift;

import io.kvstore.server.edge.Lifecycle;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Work that may keep a processor busy for long. A virtual thread is not taken off its carrier while it computes, so such work
 * gets a platform thread, and counts as one of the server's long jobs.
 */
final class LongWork {

    private final Lifecycle lifecycle;

    LongWork(Lifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    /** Does the work on a platform thread, waits for it and returns its result. */
    long run(LongSupplier work) {
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            Task task = new Task(work);
            Thread.ofPlatform().daemon().name("thrift-long").start(task);
            return task.result();
        }
    }

    /** The work, and its result or failure. */
    private static final class Task implements Runnable {

        private final LongSupplier work;
        private final CountDownLatch done = new CountDownLatch(1);
        private long result;
        private @Nullable Throwable failure;

        Task(LongSupplier work) {
            this.work = work;
        }

        @Override
        public void run() {
            try {
                result = work.getAsLong();
            } catch (Throwable e) {
                failure = e;
            } finally {
                done.countDown();
            }
        }

        long result() {
            try {
                done.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("nobody interrupts a connection", e);
            }
            return switch (failure) {
                case null -> result;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            };
        }
    }
}
