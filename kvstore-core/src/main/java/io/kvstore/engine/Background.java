package io.kvstore.engine;

import io.kvstore.data.Workers;
import io.kvstore.error.Notices;
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
public interface Background extends Workers, AutoCloseable {

    /** Runs a task that may take long, as {@link #execute} does: urgent ones do not wait for it. */
    default void executeLong(Runnable task) {
        execute(task);
    }

    /** {@link #offer} for a task that may take long. */
    default boolean offerLong(Runnable task) {
        try {
            executeLong(task);
            return true;
        } catch (Throwable e) {
            Notices.debug(Background.class, null, "a long task finds no thread", e);
            return false;
        }
    }

    /** {@link #executeOnce} for a task that may take long. */
    default boolean executeLongOnce(AtomicBoolean scheduled, Runnable task) {
        if (!scheduled.compareAndSet(false, true)) {
            return true;
        }
        boolean handedOver = offerLong(task);
        if (!handedOver) {
            scheduled.set(false);
        }
        return handedOver;
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

    /** Runs the task again and again until the result is closed, also after it has thrown something. */
    Ticket every(long periodMillis, Runnable task);

    /** How threads wait for something that background work brings about. */
    Waiter waiter();

    /** Waits for running tasks and drops those that have not begun. */
    @Override
    void close();

    /** After {@link #close}: whether no task runs any more. */
    default boolean hasEnded() {
        return true;
    }

    /** Ends a repeated task. */
    @FunctionalInterface
    interface Ticket extends AutoCloseable {
        @Override
        void close();
    }
}
