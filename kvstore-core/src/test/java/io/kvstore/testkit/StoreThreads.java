package io.kvstore.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Threads of a test, platform and virtual in turn; what one throws fails the test. */
final class StoreThreads {

    private static final long PATIENCE_SECONDS = 120;

    private final List<Thread> threads = new ArrayList<>();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /** What a thread does. */
    interface Work {
        /** Throws when something is wrong. */
        void run() throws Exception;
    }

    /** Starts a thread. */
    Thread start(Work work) {
        Runnable guarded = () -> {
            try {
                work.run();
            } catch (Throwable e) {
                failures.add(e);
            }
        };
        Thread.Builder builder = threads.size() % 2 == 0 ? Thread.ofPlatform().daemon(true) : Thread.ofVirtual();
        Thread thread = builder.name("test-" + threads.size()).start(guarded);
        threads.add(thread);
        return thread;
    }

    List<Thread> all() {
        return threads;
    }

    boolean anyFailed() {
        return !failures.isEmpty();
    }

    /** Waits for all; fails if one failed or does not end. */
    void join() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        for (Thread thread : threads) {
            thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            if (thread.isAlive()) {
                AssertionError hang = new AssertionError(thread.getName() + " does not end");
                hang.setStackTrace(thread.getStackTrace());
                throw hang;
            }
        }
        Throwable first = failures.peek();
        if (first != null) {
            throw new AssertionError("a thread failed: " + first, first);
        }
    }
}
