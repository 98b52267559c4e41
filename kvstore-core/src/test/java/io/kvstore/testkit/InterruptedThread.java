package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread whose interrupt flag is set before its work begins, and that tells how often the work sets it again. A wait that
 * leaves the flag set never does: it has no length, so its loop runs at full speed.
 */
public final class InterruptedThread extends Thread {

    private static final long LIMIT_SECONDS = 60;

    private final Work work;
    private final Semaphore pauses = new Semaphore(0);
    private volatile boolean hasKept;
    private volatile @Nullable Throwable failure;

    /** What the thread does. */
    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    private InterruptedThread(Work work) {
        this.work = work;
    }

    /** Begins some work. */
    public static InterruptedThread start(Work work) {
        InterruptedThread thread = new InterruptedThread(work);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void run() {
        super.interrupt();
        try {
            work.run();
        } catch (Throwable e) {
            failure = e;
        }
        hasKept = isInterrupted();
    }

    @Override
    public void interrupt() {
        super.interrupt();
        if (Thread.currentThread().equals(this)) {
            pauses.release();
        }
    }

    /** Waits until the work has set the flag again some more times. Returns false if it does not. */
    public boolean hasPaused(int times) throws InterruptedException {
        return pauses.tryAcquire(times, LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits for the end of the work, which must not have lost the flag. */
    public void end() throws InterruptedException {
        join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        assertFalse(isAlive(), "it does not end");
        assertNull(failure);
        assertTrue(hasKept, "the flag is lost");
    }
}
