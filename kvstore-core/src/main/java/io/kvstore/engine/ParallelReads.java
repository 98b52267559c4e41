package io.kvstore.engine;

import io.kvstore.data.Clock;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes reads that do not depend on each other. A disk answers many reads in the time of a few, so threads of the background
 * help the caller, if reads wait for the disk at all. Reads from the system's cache are over before a thread wakes up, and the
 * caller makes them alone.
 *
 * <p>The caller makes reads until none is left, and then waits for those that others have begun. It never waits for a helper
 * that is only queued: one that comes too late finds nothing to do. At most {@link #MOST_HELPERS} are queued or at work,
 * however many callers there are. For any thread.
 */
public final class ParallelReads {

    static final int MOST_HELPERS = 15;

    /** Then a helper goes to the end of the queue, where those of other tables may wait. */
    static final int READS_OF_A_TURN = 16;

    /** A read from memory takes 1 to 5 microseconds, one from a disk 50 and more. */
    private static final long SLOW_NANOS = 30_000;

    /** Helpers are asked at once if more than this part of the caller's last reads were slow. */
    private static final int SLOW_PART = 4;

    private static final long TIMEOUT_MILLIS = 3_600_000;

    private final Background background;
    private final Clock clock;
    private final Queue<Run> runs = new ConcurrentLinkedQueue<>();
    private final AtomicInteger helpers = new AtomicInteger();

    private final Runnable help = this::help;

    private volatile boolean areSlow;

    /** One of the reads. */
    @FunctionalInterface
    public interface Read {
        /** Makes the read with this number. Called once for each number, by any thread. */
        void read(int number) throws IOException;
    }

    public ParallelReads(Background background, Clock clock) {
        this.background = background;
        this.clock = clock;
    }

    /**
     * The reads with the numbers from 0 on. Several threads may run them: they share them, and each returns when all are made.
     * If one fails, no other one is begun, and each of the threads throws what it has thrown. When a thread returns or throws,
     * none is at a read.
     */
    public TableEngine.Load of(int count, Read read) {
        return new Run(count, read);
    }

    /** Whether many reads of the last run waited for the disk. Only a hint. */
    public boolean areSlow() {
        return areSlow;
    }

    /** Asks for so many helpers, or as many as there may be. Throws nothing. */
    private void ask(int wanted) {
        for (int i = 0; i < wanted; i++) {
            if (helpers.incrementAndGet() > MOST_HELPERS || !background.reads().offer(help)) {
                helpers.decrementAndGet();
                return;
            }
        }
    }

    private void help() {
        int left = READS_OF_A_TURN;
        try {
            for (Run run : runs) {
                left -= run.help(left);
                if (left == 0) { // new runs come behind those that are there, so this might never end
                    break;
                }
            }
        } finally {
            helpers.decrementAndGet();
        }
        if (left == 0) {
            ask(1);
        }
    }

    private final class Run implements TableEngine.Load {

        private final int count;
        private final Read read;
        private final AtomicInteger begun = new AtomicInteger();

        /** Threads that may be at a read. One counts itself before it looks for a read to make. */
        private final AtomicInteger atWork = new AtomicInteger();

        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        /** Made with the run, because where there is no memory its caller still has to wait for its helpers. */
        private final BooleanSupplier idle = this::isIdle;

        Run(int count, Read read) {
            this.count = count;
            this.read = read;
        }

        @Override
        public void run() throws IOException {
            runs.add(this);
            atWork.incrementAndGet();
            boolean isOver = false;
            try {
                readAll();
            } finally {
                begun.addAndGet(count); // if this thread has failed, others begin no more reads
                leave();
                runs.remove(this);
                isOver = isIdle() || background.waiter().await(idle, TIMEOUT_MILLIS);
            }
            if (!isOver) {
                throw new IOException("a read has not come back after " + TIMEOUT_MILLIS / 1_000 + " s");
            }
            throwFailure();
        }

        private void readAll() {
            boolean isHelped = areSlow;
            if (isHelped) {
                ask(left() - 1);
            }
            int own = 0;
            int slow = 0;
            long start = clock.nanoTime();
            while (tryNext()) {
                long end = clock.nanoTime();
                own++;
                slow += end - start > SLOW_NANOS ? 1 : 0;
                if (!isHelped && slow > 0) {
                    isHelped = true;
                    ask(left() - 1);
                }
                start = clock.nanoTime();
            }
            if (own > 0) {
                areSlow = slow > own / SLOW_PART;
            }
        }

        private boolean isIdle() {
            return atWork.get() == 0;
        }

        private int left() {
            return count - begun.get();
        }

        /** Makes some reads for others. Returns how many. */
        int help(int most) {
            atWork.incrementAndGet();
            int made = 0;
            try {
                while (made < most && tryNext()) {
                    made++;
                }
            } finally {
                leave();
            }
            return made;
        }

        private void leave() {
            if (atWork.decrementAndGet() == 0) {
                background.waiter().signal();
            }
        }

        /** Makes the next read. Returns false if there is none, or if one has failed. */
        private boolean tryNext() {
            if (failure.get() != null || left() <= 0) {
                return false;
            }
            int number = begun.getAndIncrement();
            if (number >= count) {
                return false;
            }
            try {
                read.read(number);
                return true;
            } catch (Throwable e) {
                failure.compareAndSet(null, e); // each caller throws it
                return false;
            }
        }

        private void throwFailure() throws IOException {
            Throwable thrown = failure.get();
            switch (thrown) {
                case null -> {}
                case IOException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                default -> throw new IllegalStateException("a read has thrown what it cannot throw", thrown);
            }
        }
    }
}
