package io.kvstore.lsm;

import io.kvstore.engine.Waiter;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * The right to run jobs of one kind, which one thread at a time has. It is not a lock: a thread that waits inside a job, and
 * runs other tasks meanwhile, never gets the turn once more.
 *
 * <p>Invariant: a thread that asks in vain is not forgotten. Either the thread that has the turn looks for work afterwards, or
 * it learns of the request when it gives the turn back.
 */
final class Turn {

    private final Waiter waiter;
    private final AtomicBoolean taken = new AtomicBoolean();

    /** Whether a thread asked since another one began to look for work. */
    private volatile boolean isWanted;

    /** @param waiter is signalled when the turn is given back */
    Turn(Waiter waiter) {
        this.waiter = waiter;
    }

    /** Takes the turn, unless another thread has it. Afterwards the caller looks for all work that there is. */
    boolean tryTake() {
        isWanted = true; // first, because the other thread may give the turn back at this moment
        if (!taken.compareAndSet(false, true)) {
            return false;
        }
        isWanted = false;
        return true;
    }

    /**
     * Waits for the turn and takes it, for a job of the caller's.
     *
     * @param isDone whether others have done the job meanwhile; then the turn is not taken
     * @return whether it was taken; if not, the job is done, or that took too long
     */
    boolean await(BooleanSupplier isDone, long timeoutMillis) {
        while (!isDone.getAsBoolean()) {
            if (taken.compareAndSet(false, true)) {
                return true;
            }
            if (!waiter.await(() -> !taken.get() || isDone.getAsBoolean(), timeoutMillis)) {
                return false;
            }
        }
        return false;
    }

    /** Gives the turn back. Returns whether the work is to be looked for once more, because somebody asked in vain. */
    boolean giveBack() {
        taken.set(false);
        waiter.signal();
        return isWanted;
    }

    boolean isTaken() {
        return taken.get();
    }
}
