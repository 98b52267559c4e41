package io.kvstore.durability;

import io.kvstore.engine.FailureHandler;
import io.kvstore.error.Notices;
import io.kvstore.error.StoreFailedException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether the store still takes work. A failure is final until the store is opened again. The first cause is kept.
 *
 * <p>To fail allocates no memory and throws nothing, so that the thread that fails the store can wake the threads that wait.
 */
public final class Health implements FailureHandler {

    private final AtomicReference<@Nullable Throwable> cause = new AtomicReference<>();

    @Override
    public void fail(Throwable failure) {
        if (cause.compareAndSet(null, failure)) {
            Notices.error(
                    Health.class, null, "the store failed and takes no more work; open it again to recover", failure);
        }
    }

    public @Nullable Throwable cause() {
        return cause.get();
    }

    public void check() {
        Throwable failure = cause.get();
        if (failure != null) {
            throw new StoreFailedException(
                    "the store failed (" + failure + ") and takes no more work; close it and open it again to recover",
                    failure);
        }
    }
}
