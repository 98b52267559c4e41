package io.kvstore.engine;

import io.kvstore.data.Pause;
import io.kvstore.error.OverloadedException;
import java.io.IOException;

/** How replay waits for room. It has no caller that could be refused, so it goes on as long as the engine makes progress. */
public final class Patience {

    /** Six minutes of pauses without progress. */
    private static final int MAX_WAITS = 36_000;

    private static final long WAIT_NANOS = 10_000_000;

    private Patience() {}

    /**
     * Runs the given action until it is not refused any more. An interrupt shortens no pause; the flag stays set.
     *
     * @throws OverloadedException if the action is still refused after {@value #MAX_WAITS} attempts
     */
    public static void untilDone(TableEngine.Load wait) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                wait.run();
                return;
            } catch (OverloadedException e) {
                if (attempt == MAX_WAITS) {
                    throw e;
                }
                Pause.nanos(WAIT_NANOS);
            }
        }
    }
}
