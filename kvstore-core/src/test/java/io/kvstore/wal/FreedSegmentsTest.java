package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.SimStorage;
import io.kvstore.wal.segment.LogConfig.Landing;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of segments that nothing needs any more when storage fails: none lies about for good. */
final class FreedSegmentsTest {

    private static final int RECORDS = 600;

    private record Filled(LogBench bench, WriteAheadLog log) {}

    private final SimStorage disk = new SimStorage();
    private final FaultyStorage faulty = new FaultyStorage(disk);

    private Filled filled(Landing landing) throws IOException {
        LogBench bench = new LogBench(disk, faulty, landing);
        bench.init();
        WriteAheadLog log = bench.open();
        fill(bench, log);
        return new Filled(bench, log);
    }

    private static void fill(LogBench bench, WriteAheadLog log) {
        for (int i = 0; i < RECORDS; i++) {
            LogBench.append(log, LogBench.put(700));
            bench.background.runAll();
        }
        log.sync(log.lastLsn());
    }

    private void failFromNowOn(Operation operation, FaultPlan.Fault fault) {
        faulty.arm(new FaultPlan(EnumSet.of(operation), 0, true, fault));
    }

    private static void free(WriteAheadLog log) throws IOException {
        log.space().deleteBefore(log.space().firstNeededSegment(table -> log.durableLsn()));
    }

    private void assertAllKnown(WriteAheadLog log) throws IOException {
        List<String> there = disk.list("wal");
        assertEquals(there.size(), log.stats().files(), there.toString());
    }

    /** As on a file system that copies on write: overwriting a head needs room, and deleting a file makes some. */
    @ParameterizedTest
    @EnumSource(Landing.class)
    void what_cannot_live_again_on_a_full_disk_is_deleted(Landing landing) throws IOException {
        Filled filled = filled(landing);
        WriteAheadLog log = filled.log();
        failFromNowOn(Operation.WRITE, FaultPlan.Fault.NO_SPACE);
        free(log);
        assertAllKnown(log);
        assertTrue(disk.list("wal").size() <= 4, disk.list("wal").toString());
        faulty.disarm();
        fill(filled.bench(), log);
        assertNull(filled.bench().failure.get());
        log.close();
        assertEquals(0, disk.openResources());
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void one_that_fails_keeps_none_of_the_others(Landing landing) throws IOException {
        for (Operation operation : new Operation[] {Operation.WRITE, Operation.RENAME, Operation.SYNC_DIRECTORY}) {
            FreedSegmentsTest other = new FreedSegmentsTest();
            WriteAheadLog log = other.filled(landing).log();
            other.faulty.arm(new FaultPlan(EnumSet.of(operation), 0, false, FaultPlan.Fault.EIO));
            assertThrows(IOException.class, () -> free(log));
            other.faulty.disarm();
            int prepared = log.stats().files() - log.stats().segments();
            assertTrue(prepared <= 8, prepared + " files beside the log after " + operation);
            other.assertAllKnown(log);
            log.close();
            assertEquals(0, other.disk.openResources());
        }
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void what_cannot_be_deleted_is_tried_again(Landing landing) throws IOException {
        Filled filled = filled(landing);
        WriteAheadLog log = filled.log();
        int before = disk.list("wal").size();
        failFromNowOn(Operation.DELETE, FaultPlan.Fault.EIO);
        assertThrows(IOException.class, () -> free(log));
        assertEquals(before, disk.list("wal").size(), "all are there still");
        assertAllKnown(log);
        faulty.disarm();
        free(log);
        assertAllKnown(log);
        assertTrue(disk.list("wal").size() <= 8, disk.list("wal").toString());
        log.close();
        assertEquals(0, disk.openResources());
    }
}
