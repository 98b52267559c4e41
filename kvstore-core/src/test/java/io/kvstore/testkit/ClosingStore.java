package io.kvstore.testkit;

import io.kvstore.KVStore;
import io.kvstore.error.StoreClosedException;
import java.util.concurrent.TimeUnit;

/** A store that another thread closes. */
public final class ClosingStore {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private ClosingStore() {}

    /** Waits until the store lets no calls in. Calls that are inside, and with them the closing, may go on. */
    public static void awaitRefusal(KVStore store) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (System.nanoTime() - end < 0) {
            try {
                store.databases();
            } catch (StoreClosedException e) {
                return;
            }
        }
        throw new AssertionError("the store does not close");
    }
}
