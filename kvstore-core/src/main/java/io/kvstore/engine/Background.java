package io.kvstore.engine;

import io.kvstore.data.Workers;

/**
 * The store's background work and its waits. A test replaces this by an implementation that runs everything in the test's own
 * thread.
 *
 * <h2>Three classes of work</h2>
 *
 * <p>Urgent work is short, and somebody waits for it or may have to wait for it soon: flushes, writes of values to the disk,
 * merges of changes, mappings, the log, checkpoints. Long work improves the shape of files or warms cold data: compaction,
 * relocation, clustering, indexes, sweeps of dropped tables. Awaited work is long work that writers wait for: the compaction
 * without which they have no room. Each class has threads of its own. So a caller that needs one flush does not wait for the
 * compactions of other tables, and a caller that needs one compaction does not wait for compactions that nobody needs yet.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A task never waits for a task that is only queued, because the queued task may be behind it in the queue. A task may
 *       wait for a task that runs. {@link BackgroundTask} is how closing waits for a task.
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

    /** Threads for reads of files that a caller makes with their help. They do nothing else, so all of them may be at reads. */
    default Workers reads() {
        return this;
    }

    /** The threads of background work, and the tasks that wait for a thread now. */
    default Load load() {
        return Load.NONE;
    }

    /**
     * Background work at one moment.
     *
     * @param urgentThreads the most threads that urgent tasks have at a time
     * @param urgentWaiting urgent tasks that wait for a thread
     * @param awaitedThreads the most threads that awaited tasks have at a time
     * @param awaitedWaiting awaited tasks that wait for a thread
     * @param longThreads the most threads that long tasks have at a time
     * @param longWaiting long tasks that wait for a thread
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

    /** Runs the task again and again until the returned ticket is closed, even after the task has thrown something. */
    Ticket every(long periodMillis, Runnable task);

    /** The waiter with which threads wait for the effects of background work. */
    Waiter waiter();

    /** Waits for running tasks, and drops tasks that have not begun. */
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
