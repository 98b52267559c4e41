package io.kvstore.engine;

import java.util.function.BooleanSupplier;

/** The only way to wait for background work. Interrupts do not end a wait; the flag is set again afterwards. */
public interface Waiter {

    /**
     * Waits until the condition holds or the time is over; the condition is evaluated under the waiter's own lock and must
     * be quick.
     *
     * @return whether it holds
     */
    boolean await(BooleanSupplier condition, long timeoutMillis);

    /** Lets every waiting thread evaluate its condition again. Call it after the change. */
    void signal();
}
