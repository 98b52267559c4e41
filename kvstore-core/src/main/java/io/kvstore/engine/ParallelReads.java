package io.kvstore.engine;

import io.kvstore.data.Clock;
import io.kvstore.data.Workers;
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
    private final Workers workers;
    private final Clock clock;
    private final Queue<Run> runs = new ConcurrentLinkedQueue<>();
    private final AtomicInteger helpers = new AtomicInteger();

    private final Runnable help = this::help;

    /** One of the reads. */
    @FunctionalInterface
    public interface Read {
        /** Makes the read with this number. Called by any thread, and once unless some thread meets an {@link Error}. */
        void read(int number) throws IOException;
    }

    /** Whether the reads of one user wait for the disk. Another user may read records that are in memory meanwhile. */
    public static final class Pace {

        private volatile boolean isSlow;

        /** Whether many reads of the last run waited for the disk. Only a hint. */
        public boolean isSlow() {
            return isSlow;
        }
    }

    public ParallelReads(Background background, Clock clock) {
        this.background = background;
        this.workers = background.reads(); // once: to ask for helpers takes no memory of its own
        this.clock = clock;
    }

    /**
     * The reads with the numbers from 0 on. Several threads may run them: they share them, and each returns when all are made.
     * If one fails, no other one is begun, and each of the threads throws what it has thrown. When a thread returns or throws,
     * no helper is at a read.
     *
     * <p>An {@link Error} says something of the thread that has met it and nothing of the disk: it has no memory, or no stack
     * left. So it is thrown in that thread alone. The others make all reads again, each for itself.
     */
    public TableEngine.Load of(int count, Pace pace, Read read) {
        return new Run(count, read, pace);
    }

    /** Asks for so many helpers, or as many as there may be. */
    private void ask(int wanted) {
        for (int i = 0; i < wanted; i++) {
            boolean isAsked = false;
            try {
                isAsked = helpers.incrementAndGet() <= MOST_HELPERS && workers.offer(help);
            } finally {
                if (!isAsked) {
                    helpers.decrementAndGet(); // also when the stack has no room for the call
                }
            }
            if (!isAsked) {
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
        private final Pace pace;
        private final AtomicInteger begun = new AtomicInteger();

        /** Threads that may be at a read. One counts itself before it looks for a read to make. */
        private final AtomicInteger atWork = new AtomicInteger();

        /** The first one of any thread. Then no thread begins another read. */
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        /** Made with the run, because where there is no memory its caller still has to wait for its helpers. */
        private final BooleanSupplier idle = this::isIdle;

        Run(int count, Read read, Pace pace) {
            this.count = count;
            this.read = read;
            this.pace = pace;
        }

        @Override
        public void run() throws IOException {
            atWork.incrementAndGet();
            boolean isOver = false;
            try {
                runs.add(this);
                readAll();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
                throw e;
            } finally {
                leave();
                runs.remove(this);
                isOver = isIdle() || background.waiter().await(idle, TIMEOUT_MILLIS);
            }
            if (!isOver) {
                throw new IOException("a read has not come back after " + TIMEOUT_MILLIS / 1_000 + " s");
            }
            Throwable thrown = failure.get();
            if (thrown instanceof Error) { // of another thread
                readAlone();
            } else if (thrown != null) {
                rethrow(thrown);
            }
        }

        /** Ends in any case, where another run might meet the error of a helper again and again. */
        private void readAlone() throws IOException {
            for (int number = 0; number < count; number++) {
                read.read(number);
            }
        }

        private void readAll() throws IOException {
            boolean isHelped = pace.isSlow;
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
                pace.isSlow = slow > own / SLOW_PART;
            }
        }

        private boolean isIdle() {
            return atWork.get() == 0;
        }

        private int left() {
            return count - begun.get();
        }

        /** Makes some reads for others. Returns how many. An error of this thread is told by the background. */
        int help(int most) {
            atWork.incrementAndGet();
            int made = 0;
            try {
                while (made < most && tryNext()) {
                    made++;
                }
            } catch (IOException | RuntimeException e) {
                failure.compareAndSet(null, e); // each caller throws it
            } catch (Error e) {
                failure.compareAndSet(null, e);
                throw e;
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
        private boolean tryNext() throws IOException {
            if (failure.get() != null || left() <= 0) {
                return false;
            }
            int number = begun.getAndIncrement();
            if (number >= count) {
                return false;
            }
            read.read(number);
            return true;
        }

        private static void rethrow(Throwable thrown) throws IOException {
            switch (thrown) {
                case IOException e -> throw e;
                case RuntimeException e -> throw e;
                default -> throw new IllegalStateException("a read has thrown what it cannot throw", thrown);
            }
        }
    }
}
