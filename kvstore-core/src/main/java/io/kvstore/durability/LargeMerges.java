package io.kvstore.durability;

import io.kvstore.data.Merge;
import io.kvstore.error.OverloadedException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lets one operation at a time hold results of merges with more than {@link Merge#MAX_RESULT_BYTES} together. A batch of a few
 * bytes can make {@code maxBatchBytes} of such results, and a server counts the bytes of the batch only. With this class, the
 * results of all writers together have at most {@code maxBatchBytes}, and two largest results more for each writer.
 *
 * <p>A thread waits for its turn without locks. Safe for use by several threads.
 */
final class LargeMerges {

    private final StoreServices services;
    private final AtomicReference<@Nullable Thread> holder = new AtomicReference<>();

    LargeMerges(StoreServices services) {
        this.services = services;
    }

    /**
     * Gives the turn to this thread, which may have it already. The thread has no lock. Returns whether it had to wait.
     *
     * @throws OverloadedException if another operation keeps the turn for {@code stallTimeoutMillis}
     */
    boolean await() {
        boolean waited = false;
        long millis = services.setup().stallTimeoutMillis();
        long begin = services.clock().nanoTime();
        while (!tryTake()) {
            services.health().check();
            long left = millis - TimeUnit.NANOSECONDS.toMillis(services.clock().nanoTime() - begin);
            if (left <= 0 || !services.background().waiter().await(() -> holder.get() == null, left)) {
                throw new OverloadedException("another batch whose merges make more than " + Merge.MAX_RESULT_BYTES
                        + " bytes of values has not ended for " + millis + " ms; write again, or split the batch");
            }
            waited = true;
        }
        return waited;
    }

    /**
     * Gives the turn to this thread, which has the locks of its tables and must not wait.
     *
     * @throws OverloadedException if another operation has the turn
     */
    void takeAtOnce() {
        if (!tryTake()) {
            throw new OverloadedException("values grew meanwhile, and another batch whose merges make more than "
                    + Merge.MAX_RESULT_BYTES + " bytes of values is under way; write again, or split the batch");
        }
    }

    private boolean tryTake() {
        Thread me = Thread.currentThread();
        return me.equals(holder.get()) || holder.compareAndSet(null, me);
    }

    /** Ends the turn of this thread, if it has one. */
    void end() {
        if (Thread.currentThread().equals(holder.get())) {
            holder.set(null);
            services.background().waiter().signal();
        }
    }
}
