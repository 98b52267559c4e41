package io.kvstore.hash.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.KVStoreException;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.Seeds;
import io.kvstore.testkit.SimStorage;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What losses of power and kills of the process leave of an index file. */
final class IndexFileCrashTest {

    private static final int STEPS = 30;
    private static final int SECTOR_BYTES = 512;

    /** Changes of one step do not fit into a sector with the commit behind them. */
    private static final int MANY = 60;

    @Test
    void power_cut_at_every_operation() {
        Seeds.each(1, 3, seed -> {
            IndexWorkload workload = new IndexWorkload(seed);
            workload.setMost(MANY);
            SimStorage disk = disk();
            int[] crashes = {0};
            disk.observe(() -> {
                for (CrashChoice choice : CrashChoice.enumerate(disk.pendingOperations(), 3, disk.operations())) {
                    checkAfter(workload, disk, choice);
                    crashes[0]++;
                }
            });
            run(workload, disk);
            assertTrue(crashes[0] > 2_000, crashes[0] + " crashes");
        });
    }

    /** What an opening found and answered with must not be lost by a crash that follows. */
    @Test
    void kill_and_power_cut_at_every_operation() {
        Seeds.each(1, 4, seed -> {
            IndexWorkload workload = new IndexWorkload(seed);
            workload.setMost(MANY);
            SimStorage disk = disk();
            int[] unmarked = {0};
            disk.observe(() -> {
                try {
                    SimStorage killed = disk.kill();
                    long found = workload.check(killed);
                    unmarked[0] += found > workload.returned() ? 1 : 0;
                    for (CrashChoice choice : CrashChoice.enumerate(killed.pendingOperations(), 2, disk.operations())) {
                        assertEquals(found, workload.check(killed.crash(choice)), () -> "after a kill and " + choice);
                    }
                } catch (IOException | KVStoreException e) {
                    throw new AssertionError(e);
                }
            });
            run(workload, disk);
            assertTrue(unmarked[0] > 0, "no kill found a commit that had not returned");
        });
    }

    /** A second crash meets what the first one left, and what was written over it. */
    @Test
    void power_cut_after_a_power_cut() {
        Seeds.each(1, 30, seed -> {
            IndexWorkload workload = new IndexWorkload(seed);
            workload.setMost(MANY);
            SimStorage disk = disk();
            for (int life = 0; life < 12; life++) {
                try (IndexFile file = workload.table.open(disk)) {
                    for (int i = 0; i < 3; i++) {
                        workload.change(3);
                        workload.commit(file);
                    }
                    workload.change(40);
                    workload.write(file);
                }
                disk = disk.crash(new CrashChoice.Random(seed * 100 + life, true));
                assertEquals(workload.returned(), workload.check(disk));
                workload.forget();
            }
        });
    }

    private static void checkAfter(IndexWorkload workload, SimStorage disk, CrashChoice choice) {
        try {
            SimStorage crashed = disk.crash(choice);
            workload.check(crashed);
            assertEquals(0, crashed.openResources());
        } catch (IOException | KVStoreException e) {
            throw new AssertionError("after " + choice, e);
        }
    }

    /** The first sector of a commit block, whose other sectors are zeros, and which the file is too short for. */
    @Test
    void torn_commit_that_was_cut_off_does_not_come_back() throws IOException {
        IndexTable table = new IndexTable();
        SimStorage disk = disk();
        table.open(disk).close();
        byte[] before = disk.bytes(IndexTable.PATH);
        IndexCommit commit = new IndexCommit(2, 1, 0, ValueSegmentList.EMPTY);
        long seed = OpenFile.fileSeed(table.context(disk, false), 1);
        byte[] torn = Arrays.copyOf(before, before.length + SECTOR_BYTES);
        new BlockWriter(seed).commit(IndexTable.PATH, before.length, commit).get(torn, before.length, SECTOR_BYTES);
        disk.replace(IndexTable.PATH, torn);
        try (IndexFile file = table.open(disk)) {
            assertEquals(0, file.committed().lsn());
            file.changes(new int[300], new long[300], new long[300], 0, 300);
            for (CrashChoice choice : CrashChoice.enumerate(disk.pendingOperations(), 100, 1)) {
                try (IndexFile after = table.open(disk.crash(choice))) {
                    assertEquals(0, after.committed().lsn(), () -> "after " + choice);
                }
            }
        }
    }

    private static SimStorage disk() throws IOException {
        SimStorage disk = new SimStorage();
        IndexTable.make(disk);
        return disk;
    }

    private static void run(IndexWorkload workload, SimStorage disk) throws IOException {
        try (IndexFile file = workload.table.open(disk)) {
            for (int i = 0; i < STEPS; i++) {
                workload.step(file);
            }
        }
        disk.observe(() -> {});
        assertEquals(workload.returned(), workload.check(disk));
        assertEquals(0, disk.openResources());
    }
}
