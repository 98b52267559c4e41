package io.kvstore.durability;

import io.kvstore.engine.FailureHandler;
import io.kvstore.error.StoreFailedException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Whether the store still takes work. A failure is final until the store is opened again; the first cause is kept. */
public final class Health implements FailureHandler {

    private static final Logger LOG = System.getLogger(Health.class.getName());

    private final AtomicReference<@Nullable Throwable> cause = new AtomicReference<>();

    @Override
    public void fail(Throwable failure) {
        if (cause.compareAndSet(null, failure)) {
            LOG.log(Level.ERROR, "the store failed and takes no more work; open it again to recover", failure);
        }
    }

    /** The cause of the failure, or null. */
    public @Nullable Throwable cause() {
        return cause.get();
    }

    /** Throws if the store failed. */
    public void check() {
        Throwable failure = cause.get();
        if (failure != null) {
            throw new StoreFailedException(
                    "the store failed (" + failure + ") and takes no more work; close it and open it again to recover",
                    failure);
        }
    }
}
