package io.kvstore.testkit;

import io.kvstore.data.Workers;
import io.kvstore.engine.Background;
import io.kvstore.engine.Waiter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The least that a store can have: one thread for the tasks of each class, one for what is repeated. So a task that
 * waits while another of its class is queued waits for something else, or for ever: a wait of a task that does not end is a
 * failure.
 */
final class OneWorkerBackground implements Background {

    private static final long MOST_MILLIS = 60_000;
    private static final long LOOK_AGAIN_NANOS = 50_000;

    private final ThreadPoolExecutor urgent = worker("one-urgent");
    private final ThreadPoolExecutor awaited = worker("one-awaited");
    private final ThreadPoolExecutor longs = worker("one-long");
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(named("one-timer"));
    private final ThreadLocal<Boolean> isWorker = ThreadLocal.withInitial(() -> false);
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();

    private static ThreadPoolExecutor worker(String name) {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named(name));
    }

    private static ThreadFactory named(String name) {
        return Thread.ofPlatform().daemon().name(name).factory();
    }

    /** What tasks have thrown so far. */
    List<Throwable> failures() {
        return List.copyOf(failures);
    }

    @Override
    public void execute(Runnable task) {
        urgent.execute(() -> run(task));
    }

    @Override
    public Workers awaitedWork() {
        return task -> awaited.execute(() -> run(task));
    }

    @Override
    public Workers longWork() {
        return task -> longs.execute(() -> run(task));
    }

    @Override
    public Ticket every(long periodMillis, Runnable task) {
        ScheduledFuture<?> future =
                timer.scheduleWithFixedDelay(() -> run(task), periodMillis, periodMillis, TimeUnit.MILLISECONDS);
        return () -> future.cancel(false);
    }

    private void run(Runnable task) {
        isWorker.set(true);
        try {
            task.run();
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    @Override
    public Waiter waiter() {
        return new Waiter() {
            @Override
            public boolean await(BooleanSupplier condition, long timeoutMillis) {
                return awaitLooking(condition, timeoutMillis);
            }

            @Override
            public void signal() {
                // who waits looks again by itself
            }
        };
    }

    private boolean awaitLooking(BooleanSupplier condition, long timeoutMillis) {
        boolean interrupted = Thread.interrupted();
        long begun = System.nanoTime();
        boolean holds = condition.getAsBoolean();
        while (!holds && millisSince(begun) < timeoutMillis) {
            if (isWorker.get() && millisSince(begun) > MOST_MILLIS) {
                AssertionError failure = new AssertionError("a background task waits for what is only queued");
                failures.add(failure);
                throw failure;
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            interrupted |= Thread.interrupted();
            holds = condition.getAsBoolean();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return holds;
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        urgent.shutdown();
        awaited.shutdown();
        longs.shutdown();
    }
}
