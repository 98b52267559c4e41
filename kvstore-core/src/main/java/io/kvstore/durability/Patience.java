package io.kvstore.durability;

import io.kvstore.engine.TableEngine;
import io.kvstore.error.OverloadedException;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * How replay waits: the stall time-out is for callers, but replay has nobody to refuse, and goes on as long as the engine makes
 * progress.
 */
final class Patience {

    private static final int MAX_WAITS = 36_000;
    private static final long WAIT_NANOS = 10_000_000;

    private Patience() {}

    /**
     * Waits as often as it takes.
     *
     * @throws OverloadedException if there is no progress for a long time
     */
    static void untilDone(TableEngine.Load wait) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                wait.run();
                return;
            } catch (OverloadedException e) {
                if (attempt == MAX_WAITS) {
                    throw e;
                }
                LockSupport.parkNanos(WAIT_NANOS);
            }
        }
    }
}
