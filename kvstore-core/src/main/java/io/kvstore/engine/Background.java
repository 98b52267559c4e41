package io.kvstore.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The store's background work and its waits. A test replaces it by one that runs everything in the test's own thread.
 *
 * <h2>Two classes of work</h2>
 *
 * <p>Urgent is what somebody waits for or may have to wait for soon, and what ends soon: flushes, values on their way to the
 * disk, merges of changes, mappings, the log, checkpoints. Long is what brings files into a better shape or warms what is
 * cold: compaction, relocation, clustering, indexes, sweeps of dropped tables. Each class has threads that the other cannot
 * take.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A task never waits for another that is only queued, for the queue may be behind itself; it may wait for what runs.
 *       {@link TaskGate} is how closing waits for the tasks of a table.
 *   <li>An urgent task never waits for a lock that is held over long work.
 * </ol>
 */
public interface Background extends Executor, AutoCloseable {

    /** Runs an urgent task soon on a background thread. A task that fails is reported, never lost in silence. */
    @Override
    void execute(Runnable task);

    /** Runs a task that may take long; urgent ones do not wait for it. */
    default void executeLong(Runnable task) {
        execute(task);
    }

    /**
     * Runs the urgent task soon, unless it is scheduled already, as the flag says. The task clears the flag; so does this if
     * the task is refused.
     */
    default void executeOnce(AtomicBoolean scheduled, Runnable task) {
        once(scheduled, () -> execute(task));
    }

    /** The same for a task that may take long. */
    default void executeLongOnce(AtomicBoolean scheduled, Runnable task) {
        once(scheduled, () -> executeLong(task));
    }

    private static void once(AtomicBoolean scheduled, Runnable handOver) {
        if (!scheduled.compareAndSet(false, true)) {
            return;
        }
        boolean handedOver = false;
        try {
            handOver.run();
            handedOver = true;
        } finally {
            if (!handedOver) {
                scheduled.set(false);
            }
        }
    }

    /** How much there is to do now. */
    default Load load() {
        return Load.NONE;
    }

    /**
     * Background work at one moment.
     *
     * @param urgentThreads the most threads that urgent tasks have at a time
     * @param urgentWaiting urgent tasks that wait for one
     * @param longThreads the most threads that long tasks have at a time
     * @param longWaiting long tasks that wait for one
     */
    record Load(int urgentThreads, int urgentWaiting, int longThreads, int longWaiting) {
        static final Load NONE = new Load(0, 0, 0, 0);
    }

    /** Runs the task again and again until the result is closed. */
    Ticket every(long periodMillis, Runnable task);

    /** How threads wait for something that background work brings about. */
    Waiter waiter();

    /** Waits for running tasks and drops those that have not begun. */
    @Override
    void close();

    /** Ends a repeated task. */
    @FunctionalInterface
    interface Ticket extends AutoCloseable {
        @Override
        void close();
    }
}
