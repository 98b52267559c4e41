package io.kvstore.testkit;

import io.kvstore.engine.Background;
import io.kvstore.engine.Waiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Background work without threads: tasks queue up and run in the test's thread, when it waits for them or says so. Time
 * passes only here, so a run with one seed is the same run every time.
 *
 * <p>A wait runs queued tasks until its condition holds; when none is left it lets time pass until the next repeated task is
 * due, at most until its own time-out. A task that fails is thrown out of the call that ran it.
 */
public final class StepBackground implements Background {

    private final StepClock clock;
    private final Queue<Runnable> queue = new ArrayDeque<>();
    private final List<Repeated> repeated = new ArrayList<>();
    private boolean closed;

    private static final class Repeated {
        private final long periodMillis;
        private final Runnable task;
        private long dueNanos;

        private Repeated(long periodMillis, Runnable task, long dueNanos) {
            this.periodMillis = periodMillis;
            this.task = task;
            this.dueNanos = dueNanos;
        }
    }

    /** @param clock moved on when time passes */
    public StepBackground(StepClock clock) {
        this.clock = clock;
    }

    @Override
    public void execute(Runnable task) {
        if (!closed) {
            queue.add(task);
        }
    }

    @Override
    public Ticket every(long periodMillis, Runnable task) {
        Repeated entry = new Repeated(periodMillis, task, nanosAfter(periodMillis));
        repeated.add(entry);
        return () -> repeated.remove(entry);
    }

    @Override
    public Waiter waiter() {
        return new Waiter() {
            @Override
            public boolean await(BooleanSupplier condition, long timeoutMillis) {
                return runUntil(condition, timeoutMillis);
            }

            @Override
            public void signal() {
                // the only thread evaluates its condition after every task
            }
        };
    }

    @Override
    public void close() {
        closed = true;
        queue.clear();
        repeated.clear();
    }

    /** How many tasks wait to be run. */
    public int queued() {
        return queue.size();
    }

    /** Runs queued tasks, and those that they queue, until none is left. */
    public void runAll() {
        while (runNext()) {
            // until the queue is empty
        }
    }

    /** Runs the oldest queued task; false if there is none. */
    public boolean runNext() {
        Runnable task = queue.poll();
        if (task == null) {
            return false;
        }
        task.run();
        return true;
    }

    /** Lets time pass, running what is queued first and what becomes due when it does. */
    public void tick(long millis) {
        runUntil(() -> false, millis);
    }

    private boolean runUntil(BooleanSupplier condition, long timeoutMillis) {
        long start = clock.nanoTime();
        long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        while (!condition.getAsBoolean()) {
            if (!runNext() && !advance(timeoutNanos - (clock.nanoTime() - start))) {
                return condition.getAsBoolean();
            }
        }
        return true;
    }

    /** Runs the next repeated task that is due within {@code nanos}; if there is none that time passes, and false. */
    private boolean advance(long nanos) {
        Repeated next = earliest();
        long wait = next == null ? Long.MAX_VALUE : Math.max(next.dueNanos - clock.nanoTime(), 0);
        if (next == null || wait > nanos) {
            clock.advanceNanos(Math.max(nanos, 0));
            return false;
        }
        clock.advanceNanos(wait);
        next.dueNanos = nanosAfter(Math.max(next.periodMillis, 1));
        next.task.run();
        return true;
    }

    private @Nullable Repeated earliest() {
        return repeated.stream()
                .min(Comparator.comparingLong(entry -> entry.dueNanos))
                .orElse(null);
    }

    private long nanosAfter(long millis) {
        return clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
