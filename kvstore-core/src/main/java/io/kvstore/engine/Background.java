package io.kvstore.engine;

import io.kvstore.data.Workers;

/**
 * The store's background work and its waits. A test replaces it by one that runs everything in the test's own thread.
 *
 * <h2>Three classes of work</h2>
 *
 * <p>Urgent is what somebody waits for or may have to wait for soon, and what ends soon: flushes, values on their way to the
 * disk, merges of changes, mappings, the log, checkpoints. Long is what brings files into a better shape or warms what is
 * cold: compaction, relocation, clustering, indexes, sweeps of dropped tables. Awaited is long work that writers wait for: the
 * compaction without which they have no room. Each class has threads that no other can take: who needs one flush does not wait
 * for the compactions of other tables, and who needs one compaction does not wait for those that nobody needs yet.
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

    /** Threads for tasks that take long and that writers wait for. */
    default Workers awaitedWork() {
        return this;
    }

    /** Threads for tasks that take long. */
    default Workers longWork() {
        return this;
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
     * @param awaitedThreads the most threads that awaited tasks have at a time
     * @param awaitedWaiting awaited tasks that wait for one
     * @param longThreads the most threads that long tasks have at a time
     * @param longWaiting long tasks that wait for one
     */
    record Load(
            int urgentThreads,
            int urgentWaiting,
            int awaitedThreads,
            int awaitedWaiting,
            int longThreads,
            int longWaiting) {
        static final Load NONE = new Load(0, 0, 0, 0, 0, 0);
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
