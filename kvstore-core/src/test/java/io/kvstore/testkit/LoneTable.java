package io.kvstore.testkit;

import io.kvstore.data.TableProperties;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.Epochs;
import io.kvstore.engine.TableContext;
import io.kvstore.io.Storage;
import io.kvstore.memory.MemoryBudget;
import java.util.Map;

/** What a part of an engine is tested with that needs a table and no store: nobody waits for a log, nothing is pinned. */
public final class LoneTable {

    /** Its directory. */
    public static final String DIRECTORY = "t";

    private static final int TABLE_ID = 7;
    private static final int FILE_TAG = 77;
    private static final long STALL_TIMEOUT_MILLIS = 1_000;

    /** That of a table without a log. */
    public static final DurabilityBarrier NO_LOG = new DurabilityBarrier() {
        @Override
        public void beforeAnswer(long lsn) {}

        @Override
        public boolean isPassed(long lsn) {
            return true;
        }

        @Override
        public void beforeCommitPoint(long lsn) {}
    };

    private LoneTable() {}

    /** The context of a table on a disk; its background work is done in steps. */
    public static TableContext on(Storage disk, MemoryBudget memory, StepClock clock, StepBackground background) {
        return on(disk, memory, clock, background, STALL_TIMEOUT_MILLIS);
    }

    /** The same, with the time for which a writer waits for room. */
    public static TableContext on(
            Storage disk, MemoryBudget memory, StepClock clock, StepBackground background, long stallTimeoutMillis) {
        return new TableContext(
                disk,
                DIRECTORY,
                TABLE_ID,
                FILE_TAG,
                new TableProperties(Map.of()),
                NO_LOG,
                cause -> {},
                () -> new long[0],
                new Epochs(),
                memory,
                background,
                clock,
                stallTimeoutMillis,
                false,
                1);
    }
}
