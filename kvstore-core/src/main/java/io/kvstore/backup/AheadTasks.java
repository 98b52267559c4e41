package io.kvstore.backup;

import io.kvstore.data.Workers;
import io.kvstore.error.Notices;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tasks that one thread of the background does in order, while their owner goes on. If there is no such thread, or it is late,
 * the owner does a task itself when it needs the result. So it never waits for a task that is only queued. For one owner.
 */
final class AheadTasks {

    private final Workers workers;

    /** What the other thread may take. */
    private final Queue<FutureTask<?>> queued = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Runnable inBackground = this::doQueued;

    AheadTasks(Workers workers) {
        this.workers = workers;
    }

    /** The owner has the task already, so that it can {@link #drop} it whatever fails here. */
    void add(FutureTask<?> task) {
        queued.add(task);
        workers.executeOnce(scheduled, inBackground);
    }

    private void doQueued() {
        do {
            for (FutureTask<?> next = queued.poll(); next != null; next = queued.poll()) {
                next.run();
            }
            scheduled.set(false);
        } while (!queued.isEmpty() && scheduled.compareAndSet(false, true)); // one came meanwhile
    }

    /** The result of a task, which has ended when this returns or throws. */
    <T> T result(FutureTask<T> task) throws IOException {
        queued.remove(task);
        try {
            return ended(task);
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    /** Lets go of a task whose result nobody needs. It has ended, or never begins, when this returns. */
    void drop(FutureTask<?> task) {
        if (queued.remove(task)) {
            return;
        }
        try {
            ended(task);
        } catch (ExecutionException e) {
            Notices.debug(AheadTasks.class, null, "a task whose result is not needed failed", e.getCause());
        }
    }

    private static <T> T ended(FutureTask<T> task) throws ExecutionException {
        task.run(); // unless the other thread has begun
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static IOException failure(ExecutionException ended) {
        Throwable cause = ended.getCause();
        if (cause instanceof IOException failure) {
            return failure;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        throw cause instanceof RuntimeException e ? e : new IllegalStateException("a task of a backup failed", cause);
    }
}
