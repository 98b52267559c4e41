package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** An opening costs as much for each of many tables as of few: counted in storage operations and in bytes allocated. */
public abstract class ManyTablesContract {

    private static final int LEAST = 8;
    private static final int FEW = Sweeps.count(100, 300);
    private static final int MANY = 4 * FEW;
    private static final int MOST_TIMES = 5;

    /** Of the tables. */
    protected abstract String engine();

    private record Cost(long operations, long allocatedBytes) {}

    private static KVStore open(FaultyStorage disk) {
        StepClock clock = new StepClock();
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(disk)
                        .withClock(clock)
                        .withBackground(new StepBackground(clock))
                        .withWalSegmentBytes(64 << 10)
                        .withCheckpointLogBytes(256 << 10)
                        .withMemoryBytes(64 << 20));
    }

    private Cost costOfOpening(int tables) {
        FaultyStorage disk = new FaultyStorage(new SimStorage());
        try (KVStore store = open(disk)) {
            store.createDB("d");
            for (int i = 0; i < tables; i++) {
                store.createTable("d", "t" + i, engine()).put("k", new byte[i % 100]);
            }
        }
        disk.arm(FaultPlan.ioError(Long.MAX_VALUE));
        long before = allocatedBytes();
        try (KVStore store = open(disk)) {
            long allocated = allocatedBytes() - before;
            assertTrue(store.tables("d").size() == tables);
            assertNotNull(store.table("d", "t7").get("k"));
            return new Cost(disk.counted(), allocated);
        }
    }

    private static long allocatedBytes() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    @Test
    void opening_costs_as_much_for_each_of_many_tables_as_for_each_of_few() {
        costOfOpening(LEAST); // what is made once
        Cost few = costOfOpening(FEW);
        Cost many = costOfOpening(MANY);
        assertTrue(many.operations() <= MOST_TIMES * few.operations(), few + " and " + many);
        assertTrue(many.allocatedBytes() <= MOST_TIMES * few.allocatedBytes(), few + " and " + many);
        assertTrue(few.operations() >= FEW, few + " operations, so this counts nothing");
    }
}
