package io.kvstore.hash.file;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Findings;
import io.kvstore.error.KVStoreException;
import io.kvstore.io.RefusedException;
import io.kvstore.io.UncertainOutcomeException;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultPlan.Fault;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.SyncLoss;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A full disk is passed, and every other failure of a commit is final. */
final class IndexFileFaultTest {

    private static final int STEPS = 20;

    /** The writes of {@link IndexWorkload#commit}: changes, the commit, the mark. */
    private static final int COMMIT_WRITE = 1;

    private static final int MARK_WRITE = 2;

    private static final Logger QUIET = Logger.getLogger("io.kvstore");

    private final SimStorage disk = new SimStorage();
    private final FaultyStorage faulty = new FaultyStorage(disk);
    private final IndexWorkload workload = new IndexWorkload(3);

    @BeforeAll
    static void beQuiet() {
        QUIET.setLevel(Level.OFF);
    }

    /** The commit before is durable, and the one that was refused is not, whatever a crash leaves. */
    @Test
    void full_disk_is_passed_at_each_write() throws IOException {
        IndexTable.make(disk);
        int refused = 0;
        try (IndexFile file = workload.table.open(faulty)) {
            for (int at = 0; at < 400; at++) {
                Fault fault = at % 2 == 0 ? Fault.SHORT_NO_SPACE : Fault.NO_SPACE;
                Set<Operation> kinds = EnumSet.of(Operation.CREATE, Operation.WRITE, Operation.RENAME);
                faulty.arm(new FaultPlan(kinds, at / 2 % 9, at % 3 == 0, fault));
                try {
                    workload.step(file);
                } catch (RefusedException e) {
                    refused++;
                } finally {
                    faulty.disarm();
                }
                workload.checkState(file);
                workload.giveUp();
                for (CrashChoice choice : CrashChoice.enumerate(disk.pendingOperations(), 1, at)) {
                    assertEquals(workload.returned(), workload.check(disk.crash(choice)));
                }
                if (at % 5 == 0) {
                    workload.commit(file);
                    workload.check(file);
                }
            }
            workload.commit(file);
            assertFalse(file.hasFailed());
        }
        assertTrue(refused > 40, refused + " steps were refused");
        assertEquals(List.of(), workload.table.failures);
        assertEquals(workload.returned(), workload.check(disk));
        assertEquals(0, disk.openResources());
    }

    /** Half of a commit block may be all of it that counts, because zeros follow. */
    @Test
    void refused_commit_never_counts() throws IOException {
        IndexTable.make(disk);
        IndexTable table = new IndexTable();
        try (IndexFile file = table.open(faulty)) {
            faulty.arm(new FaultPlan(Set.of(Operation.WRITE), 0, false, Fault.SHORT_NO_SPACE));
            assertThrows(RefusedException.class, () -> file.commit(1, 0, ValueSegmentList.EMPTY));
            faulty.disarm();
            assertEquals(12_288, disk.sizeOf(IndexTable.PATH));
            file.changes(new int[300], new long[300], new long[300], 0, 300);
            for (CrashChoice choice : CrashChoice.enumerate(disk.pendingOperations(), 100, 1)) {
                try (IndexFile found = table.open(disk.crash(choice))) {
                    assertEquals(0, found.committed().lsn(), () -> "after " + choice);
                }
            }
            file.commit(2, 0, ValueSegmentList.EMPTY);
            assertEquals(2, file.committed().sequence());
        }
    }

    @Test
    void refused_commit_that_cannot_be_taken_back_is_final() throws IOException {
        IndexTable.make(disk);
        IndexTable table = new IndexTable();
        try (IndexFile file = table.open(faulty)) {
            faulty.arm(new FaultPlan(EnumSet.of(Operation.WRITE, Operation.SYNC), 0, true, Fault.SHORT_NO_SPACE));
            assertThrows(UncertainOutcomeException.class, () -> file.commit(1, 0, ValueSegmentList.EMPTY));
            faulty.disarm();
            assertTrue(file.hasFailed());
            assertEquals(1, table.failures.size());
        }
    }

    /** A half of it is no block yet. It would be one if anything was written behind it. */
    @Test
    void refused_commit_whose_bytes_cannot_be_cut_off_is_final() throws IOException {
        for (Fault refusal : List.of(Fault.NO_SPACE, Fault.SHORT_NO_SPACE)) {
            Set<Long> found = new TreeSet<>();
            for (Fault fault : List.of(Fault.EIO, Fault.NO_SPACE)) {
                SimStorage storage = new SimStorage();
                FaultyStorage cutting = new FaultyStorage(storage);
                FaultyStorage writing = new FaultyStorage(cutting);
                IndexWorkload steps = begun(storage);
                try (IndexFile file = steps.table.open(writing)) {
                    steps.change(3);
                    writing.arm(new FaultPlan(Set.of(Operation.WRITE), COMMIT_WRITE, false, refusal));
                    cutting.arm(new FaultPlan(Set.of(Operation.TRUNCATE), 0, false, fault));
                    Throwable failure = assertThrows(UncertainOutcomeException.class, () -> steps.commit(file));
                    assertEquals(1, cutting.failed());
                    assertInstanceOf(
                            RefusedException.class,
                            requireNonNull(failure.getCause()).getSuppressed()[0]);
                    assertEquals(List.of(failure), steps.table.failures);
                    requireFinal(steps, file, writing, new UncertainOutcomeException("", failure));
                    assertEquals(1, file.committed().lsn());
                }
                addFound(steps, storage, found);
            }
            assertEquals(Set.of(1L), found, () -> "after " + refusal);
        }
    }

    /** The commit is durable then, and is found without its mark. */
    @Test
    void failure_of_the_mark_is_final_unless_it_was_refused() throws IOException {
        for (Fault fault : Fault.values()) {
            boolean isRefused = fault == Fault.NO_SPACE || fault == Fault.SHORT_NO_SPACE;
            SimStorage storage = new SimStorage();
            FaultyStorage failing = new FaultyStorage(storage);
            IndexWorkload steps = begun(storage);
            try (IndexFile file = steps.table.open(failing)) {
                steps.change(3);
                failing.arm(new FaultPlan(Set.of(Operation.WRITE), MARK_WRITE, false, fault));
                if (isRefused) {
                    steps.commit(file);
                    assertFalse(file.hasFailed());
                } else {
                    Throwable failure = assertThrows(UncertainOutcomeException.class, () -> steps.commit(file));
                    assertEquals(List.of(failure), steps.table.failures);
                    requireFinal(steps, file, failing, new UncertainOutcomeException("", failure));
                }
                assertEquals(1, failing.failed());
                assertEquals(2, file.committed().lsn());
                Set<Long> found = new TreeSet<>();
                addFound(steps, storage, found);
                assertEquals(Set.of(2L), found, () -> "after " + fault);
                if (isRefused) {
                    steps.change(3);
                    steps.commit(file);
                    assertEquals(3, steps.check(storage.kill()));
                }
            }
        }
    }

    /** A file with one commit. */
    private static IndexWorkload begun(SimStorage storage) throws IOException {
        IndexTable.make(storage);
        IndexWorkload steps = new IndexWorkload(5);
        try (IndexFile file = steps.table.open(storage)) {
            steps.change(4);
            steps.commit(file);
        }
        return steps;
    }

    /** Opens the files that a killed process and several crashes leave, each of them twice. Adds the commits that are found. */
    private static void addFound(IndexWorkload steps, SimStorage storage, Set<Long> found) throws IOException {
        List<SimStorage> copies = new ArrayList<>(List.of(storage.kill()));
        for (CrashChoice choice : CrashChoice.enumerate(storage.pendingOperations(), 20, 1)) {
            copies.add(storage.crash(choice));
        }
        for (SimStorage copy : copies) {
            long lsn = steps.check(copy);
            assertEquals(lsn, steps.check(copy.crash(new CrashChoice.DropAll())));
            found.add(lsn);
        }
    }

    /** Of every operation. What is found then is the last commit that returned or the one under way. */
    @Test
    void failure_of_each_operation_leaves_a_commit() throws IOException {
        for (boolean sticky : new boolean[] {false, true}) {
            for (Fault fault : List.of(Fault.EIO, Fault.SHORT_EIO)) {
                for (SyncLoss loss : SyncLoss.values()) {
                    int at = 0;
                    while (fail(new FaultPlan(Operation.all(), at, sticky, fault), loss)) {
                        at++;
                    }
                    assertTrue(at > 60, "the workload has only " + at + " operations");
                }
            }
        }
    }

    private static boolean fail(FaultPlan plan, SyncLoss loss) throws IOException {
        SimStorage storage = new SimStorage();
        IndexTable.make(storage);
        FaultyStorage failing = new FaultyStorage(storage);
        failing.setSyncLoss(loss);
        IndexWorkload steps = new IndexWorkload(8);
        failing.arm(plan);
        try (IndexFile file = steps.table.open(failing)) {
            try {
                for (int i = 0; i < STEPS; i++) {
                    steps.step(file);
                }
                file.verify(new Findings());
            } catch (IOException e) {
                failing.disarm();
                requireFinal(steps, file, failing, e);
            }
        } catch (IOException e) {
            assertTrue(failing.failed() > 0, () -> "failed without a fault: " + e);
        }
        failing.disarm();
        try {
            steps.check(storage.kill());
            for (CrashChoice choice : CrashChoice.enumerate(storage.pendingOperations(), 2, plan.at())) {
                steps.check(storage.crash(choice));
            }
            long found = steps.check(storage);
            assertEquals(found, steps.check(storage.crash(new CrashChoice.DropAll())));
        } catch (IOException | KVStoreException | AssertionError e) {
            throw new AssertionError("after " + plan + " that hit " + failing.failures() + " with " + loss, e);
        }
        assertEquals(0, storage.openResources(), () -> "open files after " + plan);
        return failing.failed() > 0;
    }

    private static void requireFinal(IndexWorkload steps, IndexFile file, FaultyStorage failing, IOException e)
            throws IOException {
        assertTrue(failing.failed() > 0, () -> "failed without a fault: " + e);
        assertEquals(e instanceof UncertainOutcomeException, file.hasFailed());
        if (file.hasFailed()) {
            assertFalse(steps.table.failures.isEmpty());
            assertThrows(IOException.class, () -> file.commit(99, 0, ValueSegmentList.EMPTY));
            assertThrows(IOException.class, file::rewrite);
            assertThrows(IOException.class, () -> file.changes(new int[1], new long[1], new long[1], 0, 1));
        }
        steps.checkState(file);
    }

    /** A sync that failed may have lost anything, so nothing is synced again. */
    @Test
    void failed_sync_is_final() throws IOException {
        for (int at = 0; at < 5; at++) {
            SimStorage storage = new SimStorage();
            IndexTable.make(storage);
            FaultyStorage failing = new FaultyStorage(storage);
            IndexWorkload steps = new IndexWorkload(at);
            try (IndexFile file = steps.table.open(failing)) {
                steps.change(3);
                steps.commit(file);
                steps.change(3);
                Set<Operation> syncs = EnumSet.of(Operation.SYNC, Operation.SYNC_DIRECTORY);
                failing.arm(new FaultPlan(syncs, at % 2, false, Fault.EIO));
                boolean renews = at >= 2;
                assertThrows(UncertainOutcomeException.class, () -> {
                    if (renews) {
                        steps.rewrite(file, true);
                    } else {
                        steps.commit(file);
                    }
                });
                assertTrue(file.hasFailed());
                assertEquals(1, steps.table.failures.size());
                long synced = failing.counted();
                assertThrows(IOException.class, () -> steps.commit(file));
                assertEquals(synced, failing.counted());
            }
            steps.check(storage.crash(new CrashChoice.DropAll()));
            steps.check(storage);
        }
    }

    /** A commit may not be in the file while the log below it can still be lost. */
    @Test
    void nothing_is_committed_before_the_barrier() throws IOException {
        IndexTable.make(disk);
        IndexTable table = new IndexTable();
        table.onCommitPoint(lsn -> {
            try (IndexFile found = new IndexTable().open(disk.kill())) {
                assertTrue(found.committed().lsn() < lsn, "commit " + lsn + " is there");
            }
            if (lsn % 2 == 0) {
                throw new IOException("the log failed");
            }
        });
        try (IndexFile file = table.open(disk)) {
            for (long lsn = 1; lsn < 8; lsn++) {
                commit(file, lsn, lsn > 4);
                assertEquals((lsn + 1) / 2 * 2 - 1, file.committed().lsn());
            }
            assertFalse(file.hasFailed());
        }
    }

    private static void commit(IndexFile file, long lsn, boolean renews) throws IOException {
        file.changes(new int[1], new long[1], new long[] {lsn}, 0, 1);
        try (IndexFile.Rewrite rewrite = file.rewrite()) {
            if (renews) {
                rewrite.commit(lsn, 0, ValueSegmentList.EMPTY);
            } else {
                file.commit(lsn, 0, ValueSegmentList.EMPTY);
            }
            assertTrue(lsn % 2 == 1, "a commit passed a barrier that failed");
        } catch (IOException e) {
            assertEquals("the log failed", e.getMessage());
        }
    }
}
