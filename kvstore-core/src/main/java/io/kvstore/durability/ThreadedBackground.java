package io.kvstore.durability;

import io.kvstore.engine.Background;
import io.kvstore.engine.Waiter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Daemon threads of one store: a few workers, and one for what is repeated. A task that throws is logged; a table has at most
 * a few tasks at a time, so the queue's bound is met only by a defect, which then shows as a rejected task.
 */
final class ThreadedBackground implements Background {

    private static final Logger LOG = System.getLogger(ThreadedBackground.class.getName());
    private static final int WORKERS = 4;
    private static final int QUEUE = 65_536;
    private static final long CLOSE_SECONDS = 60;

    private final Waiter waiter = new MonitorWaiter();
    private final ThreadPoolExecutor workers;
    private final ScheduledThreadPoolExecutor timer;

    ThreadedBackground() {
        workers = new ThreadPoolExecutor(
                WORKERS, WORKERS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUE), named("kvstore-worker"));
        workers.allowCoreThreadTimeOut(true);
        timer = new ScheduledThreadPoolExecutor(1, named("kvstore-timer"));
        timer.setRemoveOnCancelPolicy(true);
    }

    private static ThreadFactory named(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    @Override
    public void execute(Runnable task) {
        workers.execute(() -> run(task));
    }

    @Override
    public Ticket every(long periodMillis, Runnable task) {
        ScheduledFuture<?> future =
                timer.scheduleWithFixedDelay(() -> run(task), periodMillis, periodMillis, TimeUnit.MILLISECONDS);
        return () -> future.cancel(false);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "a background task failed", e);
        }
    }

    @Override
    public Waiter waiter() {
        return waiter;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        workers.getQueue().clear();
        workers.shutdown();
        boolean interrupted = Thread.interrupted();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        boolean ended = false;
        while (!ended && System.nanoTime() < end) {
            try {
                ended = workers.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (!ended) {
            LOG.log(Level.WARNING, "background tasks still run after " + CLOSE_SECONDS + " s");
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
