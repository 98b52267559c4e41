package io.kvstore.durability.background;

import io.kvstore.data.Workers;
import io.kvstore.engine.Background;
import io.kvstore.engine.Waiter;
import io.kvstore.error.Notices;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Daemon threads of one store: workers for each class of tasks, and one thread for repeated tasks. A task that throws is
 * logged. A table has at most a few tasks at a time, so only a defect can fill the queue. The defect then shows as a rejected
 * task. Threads begin when they are needed, and end when they had nothing to do for a while.
 */
public final class ThreadedBackground implements Background {

    /**
     * Urgent tasks wait for the disk most of the time. A processor has several urgent threads, because a short task should not
     * wait when as many tables as there are processors have tasks that wait for the disk.
     */
    private static final int URGENT_OF_A_PROCESSOR = 4;

    private static final int LEAST_URGENT = 8;
    private static final int MOST_URGENT = 32;
    private static final int LEAST_LONG = 2;
    private static final int MOST_LONG = 8;
    private static final int READS = 16;
    private static final int QUEUE = 65_536;
    private static final long CLOSE_SECONDS = 60;

    private final Waiter waiter = new MonitorWaiter();
    private final ThreadPoolExecutor urgent;
    private final ThreadPoolExecutor awaited;
    private final ThreadPoolExecutor longs;
    private final ThreadPoolExecutor reads;
    private final ScheduledThreadPoolExecutor timer;
    private volatile boolean hasEnded;

    public ThreadedBackground() {
        int processors = Runtime.getRuntime().availableProcessors();
        urgent = pool(
                Math.clamp((long) processors * URGENT_OF_A_PROCESSOR, LEAST_URGENT, MOST_URGENT), "kvstore-worker");
        int most = Math.clamp(processors, LEAST_LONG, MOST_LONG);
        awaited = pool(most, "kvstore-worker-awaited");
        longs = pool(most, "kvstore-worker-long");
        reads = pool(READS, "kvstore-reader");
        timer = new ScheduledThreadPoolExecutor(1, named("kvstore-timer"));
        timer.setRemoveOnCancelPolicy(true);
    }

    private static ThreadPoolExecutor pool(int threads, String name) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUE), named(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
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
    public Workers reads() {
        return task -> reads.execute(() -> run(task));
    }

    @Override
    public Load load() {
        return new Load(
                urgent.getMaximumPoolSize(),
                urgent.getQueue().size(),
                awaited.getMaximumPoolSize(),
                awaited.getQueue().size(),
                longs.getMaximumPoolSize(),
                longs.getQueue().size());
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
            Notices.error(ThreadedBackground.class, null, "a background task failed", e);
        }
    }

    @Override
    public Waiter waiter() {
        return waiter;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        for (ThreadPoolExecutor pool : List.of(urgent, awaited, longs, reads)) {
            pool.getQueue().clear();
            pool.shutdown();
        }
        List<ThreadPoolExecutor> pools = List.of(timer, urgent, awaited, longs, reads);
        boolean interrupted = Thread.interrupted();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        boolean ended = false;
        while (!ended && System.nanoTime() < end) {
            try {
                ended = true;
                for (ThreadPoolExecutor pool : pools) {
                    ended &= pool.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                }
            } catch (InterruptedException e) {
                interrupted = true;
                ended = false;
            }
        }
        hasEnded = ended;
        if (!ended) {
            Notices.warning(
                    ThreadedBackground.class, null, "background tasks still run after " + CLOSE_SECONDS + " s", null);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean hasEnded() {
        return hasEnded;
    }
}
