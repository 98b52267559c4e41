package io.kvstore.engine;

import io.kvstore.data.Mutation;
import io.kvstore.error.OverloadedException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Applies each operation at once, through the calls of live writes. */
public final class DirectReplay implements Replay {

    private static final int MAX_WAITS = 36_000;
    private static final long WAIT_NANOS = 10_000_000;

    private final TableEngine engine;

    /** Replays into this engine. */
    public DirectReplay(TableEngine engine) {
        this.engine = engine;
    }

    @Override
    public void add(long lsn, List<Mutation> mutations) throws IOException {
        long bytes = 0;
        for (Mutation mutation : mutations) {
            bytes += mutation.key().length + (mutation instanceof Mutation.Put put ? put.value().length : 0);
        }
        long size = bytes;
        patiently(() -> engine.admit(size));
        for (TableEngine.Load load = engine.reserve(mutations); load != null; load = engine.reserve(mutations)) {
            patiently(load);
        }
        engine.apply(lsn, mutations);
    }

    @Override
    public void flush() {
        // nothing is held
    }

    @Override
    public long heldBytes() {
        return 0;
    }

    /**
     * Waits as often as it takes. The stall time-out is for callers; replay has nobody to refuse, and goes on as long as the
     * engine makes progress.
     *
     * @throws OverloadedException if it makes none for a long time
     */
    public static void patiently(TableEngine.Load wait) throws IOException {
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
