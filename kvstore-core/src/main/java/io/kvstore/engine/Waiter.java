package io.kvstore.engine;

import java.util.function.BooleanSupplier;

/** The only way to wait for background work. An interrupt does not end a wait; the thread's flag is set again afterwards. */
public interface Waiter {

    /**
     * Waits until the condition holds or the time is over. The condition is evaluated under the waiter's own lock and must be
     * quick.
     *
     * @return whether the condition holds
     */
    boolean await(BooleanSupplier condition, long timeoutMillis);

    /** Makes every waiting thread evaluate its condition again. Called after the change. */
    void signal();
}
