package io.kvstore.lsm.compaction;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/** Thrown when a job ends early because it was told to. */
public final class StoppedException extends IOException {

    private static final long serialVersionUID = 1L;

    private StoppedException() {
        super("stopped");
    }

    static void check(BooleanSupplier stopped) throws StoppedException {
        if (stopped.getAsBoolean()) {
            throw new StoppedException();
        }
    }
}
