package io.kvstore.hash.file;

import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.TableContext;
import io.kvstore.io.Storage;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The table that has an index file: its context, and what it is told. */
final class IndexTable {

    static final String PATH = LoneTable.DIRECTORY + "/00000001.idx";
    static final String SECOND_PATH = LoneTable.DIRECTORY + "/00000002.idx";

    /** Failures that were reported as final. */
    final List<Throwable> failures = new ArrayList<>();

    private DurabilityBarrier barrier = LoneTable.NO_LOG;

    /** Makes the directory of the table, which is empty. */
    static void make(Storage disk) throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
        disk.syncDirectory("");
    }

    /** Has something called at each commit point. */
    void onCommitPoint(BarrierCall call) {
        barrier = new DurabilityBarrier() {
            @Override
            public void beforeAnswer(long lsn) {}

            @Override
            public boolean isPassed(long lsn) {
                return true;
            }

            @Override
            public void beforeCommitPoint(long lsn) throws IOException {
                call.run(lsn);
            }
        };
    }

    interface BarrierCall {
        void run(long lsn) throws IOException;
    }

    IndexFile open(Storage disk) throws IOException {
        return IndexFile.open(context(disk, false));
    }

    IndexFile openReadOnly(Storage disk) throws IOException {
        return IndexFile.open(context(disk, true));
    }

    TableContext context(Storage disk, boolean readOnly) {
        StepClock clock = new StepClock();
        TableContext lone = LoneTable.on(disk, new MemoryBudget(1 << 20), clock, new StepBackground(clock));
        return new TableContext(
                disk,
                lone.directory(),
                lone.tableId(),
                lone.fileTag(),
                lone.properties(),
                barrier,
                failures::add,
                lone.snapshots(),
                lone.epochs(),
                lone.memory(),
                lone.background(),
                clock,
                lone.stallTimeoutMillis(),
                readOnly,
                lone.seed());
    }
}
