package io.kvstore.testkit;

import io.kvstore.engine.Background;
import io.kvstore.engine.Waiter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Background work without threads: tasks queue up and run in the test's thread, when it waits for them or says so. Time
 * passes only here, so a run with one seed is the same run every time.
 *
 * <p>A wait runs queued tasks until its condition holds; when none is left it lets time pass until the next repeated task is
 * due, at most until its own time-out. Several threads may wait; one of them runs tasks at a time.
 *
 * <p>A task that waits fails at once when what it waits for does not hold: all other work is only queued, and on a real
 * background what it waits for may be behind itself. With other threads about it is given time for what one of them does.
 *
 * <p>What a task throws is kept in {@link #failures()}; a test that expects none asserts that there are none. An
 * {@link Error} is thrown on to whoever waits.
 */
public final class StepBackground implements Background {

    private static final long OTHERS_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_AGAIN_NANOS = 100_000;

    private final StepClock clock;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final List<Repeated> repeated = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final ReentrantLock running = new ReentrantLock();
    private final AtomicInteger refusals = new AtomicInteger();
    private final Thread owner = Thread.currentThread();
    private volatile boolean shared;
    private volatile boolean closed;

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
        shared |= !owner.equals(Thread.currentThread());
        if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new RejectedExecutionException("no thread");
        }
        if (!closed) {
            queue.add(task);
        }
    }

    @Override
    public Ticket every(long periodMillis, Runnable task) {
        long period = Math.max(periodMillis, 1);
        Repeated entry = new Repeated(period, task, nanosAfter(period));
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
                // a waiting thread evaluates its condition after every task
            }
        };
    }

    @Override
    public void close() {
        closed = true;
        queue.clear();
        repeated.clear();
    }

    /** The next task is refused, as when a machine has no thread for it. */
    public void refuseNext() {
        refusals.set(1);
    }

    /** How many tasks wait to be run. */
    public int queued() {
        return queue.size();
    }

    /** What tasks have thrown so far. */
    public List<Throwable> failures() {
        return new ArrayList<>(failures);
    }

    /** Runs queued tasks, and those that they queue, until none is left. */
    public void runAll() {
        while (runNext()) {
            // until the queue is empty
        }
    }

    /** Runs the oldest queued task; false if there is none. */
    public boolean runNext() {
        running.lock();
        try {
            Runnable task = queue.poll();
            if (task == null) {
                return false;
            }
            run(task);
            return true;
        } finally {
            running.unlock();
        }
    }

    /** Lets time pass, running what is queued first and what becomes due when it does. */
    public void tick(long millis) {
        runUntil(() -> false, millis);
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            failures.add(e);
        }
    }

    private boolean runUntil(BooleanSupplier condition, long timeoutMillis) {
        if (running.isHeldByCurrentThread()) {
            awaitOthers(condition);
            return true;
        }
        shared |= !owner.equals(Thread.currentThread());
        long start = clock.nanoTime();
        long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        while (!condition.getAsBoolean()) {
            if (!runNext() && !advance(timeoutNanos - (clock.nanoTime() - start))) {
                return condition.getAsBoolean();
            }
        }
        return true;
    }

    private void awaitOthers(BooleanSupplier condition) {
        long end = System.nanoTime() + OTHERS_NANOS;
        boolean holds = condition.getAsBoolean();
        while (!holds && shared && System.nanoTime() < end) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            holds = condition.getAsBoolean();
        }
        if (!holds) {
            throw new AssertionError("a background task waits for what is only queued");
        }
    }

    /** Runs the next repeated task that is due within {@code nanos}; if there is none that time passes, and false. */
    private boolean advance(long nanos) {
        running.lock();
        try {
            Repeated next = earliest();
            long wait = next == null ? Long.MAX_VALUE : Math.max(next.dueNanos - clock.nanoTime(), 0);
            if (next == null || wait > nanos) {
                clock.advanceNanos(Math.max(nanos, 0));
                return false;
            }
            clock.advanceNanos(wait);
            next.dueNanos = nanosAfter(next.periodMillis);
            run(next.task);
            return true;
        } finally {
            running.unlock();
        }
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
