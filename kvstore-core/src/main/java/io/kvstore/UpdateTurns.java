package io.kvstore;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The turns of updates. An update reads a value, runs a function and writes, unless another write came between; then it has
 * failed and tries again. A slow function would fail for ever beside fast ones. So an update that failed {@value #TRIES} times
 * takes the lock of its key's stripe, and later ones that see the lock taken queue for it before they read. Its owner then
 * fails once at most for each other thread, whose try began before; and for writes that are no updates, which take no turns.
 *
 * <p>Stripes are fair locks. The functions of callers run under them, and never under the lock of a table. A function may wait
 * for another update, so nobody waits for a turn longer than {@value #PATIENCE_SECONDS} seconds, and a thread that has a turn
 * waits for no second one: such an update goes on without.
 */
final class UpdateTurns {

    static final int TRIES = 3;
    static final int PATIENCE_SECONDS = 5;
    private static final int STRIPES = 64;

    private final long patienceNanos;
    private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

    UpdateTurns(long patienceNanos) {
        this.patienceNanos = patienceNanos;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new ReentrantLock(true);
        }
    }

    /**
     * Tries until it succeeds.
     *
     * @param hash the same for all updates of one key
     * @param attempt returns whether it succeeded; what it throws is thrown here
     */
    void run(int hash, BooleanSupplier attempt) {
        ReentrantLock stripe = stripes[(hash ^ hash >>> 16) & (STRIPES - 1)];
        for (int i = 0; i < TRIES && !stripe.isLocked() && !stripe.hasQueuedThreads(); i++) {
            if (attempt.getAsBoolean()) {
                return;
            }
        }
        boolean isInner = hasAny();
        try {
            if (!isInner) {
                awaitTurn(stripe);
            }
            while (!attempt.getAsBoolean()) {
                Thread.onSpinWait();
            }
        } finally {
            if (!isInner && stripe.isHeldByCurrentThread()) {
                stripe.unlock();
            }
        }
    }

    /** Whether this thread has a turn: then it is inside of the function of an update. */
    private boolean hasAny() {
        for (ReentrantLock stripe : stripes) {
            if (stripe.isHeldByCurrentThread()) {
                return true;
            }
        }
        return false;
    }

    /** Waits for the lock, but not for ever. An interrupt does not end the wait; the thread's flag is set again. */
    private void awaitTurn(ReentrantLock stripe) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + patienceNanos;
        boolean isOver = false;
        while (!isOver) {
            try {
                isOver = stripe.tryLock(deadline - System.nanoTime(), NANOSECONDS) || deadline - System.nanoTime() <= 0;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
