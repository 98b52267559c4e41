package io.kvstore.durability.background;

import io.kvstore.data.Workers;
import io.kvstore.engine.Background;
import io.kvstore.engine.Waiter;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The background of one store. If no thread can be had for a task now, because the process is at its limit of threads or short
 * of memory, the task is kept. It is handed over when a repeated task runs or another task comes. So code that has work for the
 * background need not handle that case, and nothing waits for a task that was dropped.
 *
 * <p>Invariant: a task that {@link #execute} has taken is run, unless the background is closed before.
 */
public final class PatientBackground implements Background {

    private final Background threads;
    private final Queue<Owed> owed = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean handingOver = new AtomicBoolean();

    public PatientBackground(Background threads) {
        this.threads = threads;
    }

    /** A kept task, and the workers that are to run it. */
    private record Owed(Runnable task, Workers workers) {}

    @Override
    public void execute(Runnable task) {
        execute(task, threads);
    }

    @Override
    public Workers awaitedWork() {
        return task -> execute(task, threads.awaitedWork());
    }

    @Override
    public Workers longWork() {
        return task -> execute(task, threads.longWork());
    }

    /** A caller that gets no help reads alone, so no such task is kept. */
    @Override
    public Workers reads() {
        return threads.reads();
    }

    private void execute(Runnable task, Workers workers) {
        handOver();
        if (!workers.offer(task)) {
            owed.add(new Owed(task, workers));
        }
    }

    @Override
    public Load load() {
        return threads.load();
    }

    private void handOver() {
        if (owed.isEmpty() || !handingOver.compareAndSet(false, true)) {
            return;
        }
        try {
            for (Owed next = owed.peek(); next != null && next.workers().offer(next.task()); next = owed.peek()) {
                owed.remove();
            }
        } finally {
            handingOver.set(false);
        }
    }

    @Override
    public Ticket every(long periodMillis, Runnable task) {
        return threads.every(periodMillis, () -> {
            handOver();
            task.run();
        });
    }

    @Override
    public Waiter waiter() {
        return threads.waiter();
    }

    @Override
    public void close() {
        owed.clear();
        threads.close();
    }

    @Override
    public boolean hasEnded() {
        return threads.hasEnded();
    }
}
