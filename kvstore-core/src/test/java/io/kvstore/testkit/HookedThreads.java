package io.kvstore.testkit;

import io.kvstore.engine.Background;
import io.kvstore.engine.Waiter;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Background work with threads that, at the places of a plan, cannot be started, or whose tasks end at once with an Error. */
final class HookedThreads implements Background {

    private static final int WORKERS = 3;

    private final ErrorPoints points;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ThreadPoolExecutor workers =
            new ThreadPoolExecutor(WORKERS, WORKERS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons());
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, daemons());

    HookedThreads(ErrorPoints points) {
        this.points = points;
    }

    private static ThreadFactory daemons() {
        return task -> {
            Thread thread = new Thread(task, "hooked");
            thread.setDaemon(true);
            return thread;
        };
    }

    @Override
    public void execute(Runnable task) {
        points.reach(ErrorPlan.Place.THREAD);
        workers.execute(() -> run(task));
    }

    @Override
    public Ticket every(long periodMillis, Runnable task) {
        ScheduledFuture<?> future =
                timer.scheduleWithFixedDelay(() -> run(task), periodMillis, periodMillis, TimeUnit.MILLISECONDS);
        return () -> future.cancel(false);
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            // told to nobody: what it means has to show in the store
        }
    }

    @Override
    public Waiter waiter() {
        return new Waiter() {
            @Override
            public boolean await(BooleanSupplier condition, long timeoutMillis) {
                long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
                lock.lock();
                try {
                    while (!condition.getAsBoolean()) {
                        long left = deadline - System.nanoTime();
                        if (left <= 0) {
                            return false;
                        }
                        changed.awaitNanos(left);
                    }
                    return true;
                } catch (InterruptedException e) {
                    throw new AssertionError("nobody interrupts", e);
                } finally {
                    lock.unlock();
                }
            }

            @Override
            public void signal() {
                lock.lock();
                try {
                    changed.signalAll();
                } finally {
                    lock.unlock();
                }
            }
        };
    }

    @Override
    public void close() {
        timer.shutdownNow();
        workers.shutdownNow();
    }
}
