package io.kvstore.cli.console;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits for what another thread gives, in short steps, so that Ctrl-C ends the wait though the other thread goes on. */
public final class SteppedWait {

    /** No limit of a wait. */
    public static final long NO_LIMIT = Long.MAX_VALUE;

    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private SteppedWait() {}

    /** Gives what the other thread has made. */
    @FunctionalInterface
    public interface Source<T extends @Nullable Object> {

        /** @throws TimeoutException if there is nothing for the given time */
        T take(long nanos) throws InterruptedException, ExecutionException, TimeoutException;
    }

    /**
     * Waits.
     *
     * @param limitNanos how long, at most
     * @param meanwhile called after each step; it may throw to end the wait
     * @throws TimeoutException if there is nothing until the limit
     */
    public static <T extends @Nullable Object> T of(Source<T> source, long limitNanos, Runnable meanwhile)
            throws InterruptedException, ExecutionException, TimeoutException {
        long start = System.nanoTime();
        while (true) {
            long left = limitNanos - (System.nanoTime() - start);
            try {
                return source.take(Math.clamp(left, 0, STEP_NANOS));
            } catch (TimeoutException e) {
                meanwhile.run();
                if (left <= STEP_NANOS) {
                    throw e;
                }
            }
        }
    }
}
