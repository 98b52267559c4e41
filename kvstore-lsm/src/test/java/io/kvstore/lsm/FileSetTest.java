package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Progress;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import io.kvstore.io.StorageFile;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a table makes of the files that it finds when it is opened. */
final class FileSetTest {

    private static final String DIRECTORY = EngineHarness.DIRECTORY + "/";

    private final SimStorage disk = new SimStorage();

    private EngineHarness tableWithFiles() throws IOException {
        EngineHarness table = EngineHarness.create(new LsmEngineProvider(), Map.of("MAX_SSTABLES", 100), disk);
        for (int i = 0; i < 3; i++) {
            table.put(new byte[] {(byte) i}, new byte[100]);
            table.engine().flush();
        }
        return table;
    }

    private static void add(SimStorage storage, String name) throws IOException {
        try (StorageFile file = storage.create(DIRECTORY + name)) {
            file.write(ByteBuffer.wrap(new byte[10]), 0);
        }
    }

    private List<String> names(SimStorage storage) throws IOException {
        return storage.list(EngineHarness.DIRECTORY);
    }

    @Test
    void new_table_has_a_manifest_and_nothing_else() throws IOException {
        EngineHarness table = EngineHarness.create(new LsmEngineProvider(), Map.of(), disk);
        assertEquals(List.of("MANIFEST"), names(disk));
        table.close();
    }

    @Test
    void power_cut_at_every_operation_of_a_creation() throws IOException {
        EngineHarness.create(new LsmEngineProvider(), Map.of(), disk).close();
        SimStorage fresh = new SimStorage();
        int[] crashes = {0};
        boolean[] busy = {false};
        EngineHarness table = tableWithFiles();
        fresh.observe(() -> {
            if (!busy[0] && fresh.files().stream().anyMatch(name -> name.startsWith(DIRECTORY))) {
                busy[0] = true;
                crashes[0] += crash(table, fresh);
                busy[0] = false;
            }
        });
        EngineHarness.create(new LsmEngineProvider(), Map.of(), fresh).close();
        table.close();
        assertTrue(crashes[0] > 10, crashes[0] + " crashes");
    }

    private static int crash(EngineHarness table, SimStorage storage) {
        List<CrashChoice> choices = CrashChoice.enumerate(storage.pendingOperations(), 5, storage.operations());
        for (CrashChoice choice : choices) {
            try (EngineHarness left =
                    table.after(storage.crash(choice), table.barrier().durableLsn())) {
                left.check();
            } catch (IOException | RuntimeException e) {
                throw new AssertionError("after " + choice, e);
            }
        }
        return choices.size();
    }

    @Test
    void files_without_a_manifest_are_never_taken_for_a_new_table() throws IOException {
        EngineHarness table = tableWithFiles();
        table.close();
        SimStorage copy = disk.crash(new CrashChoice.KeepAll());
        copy.delete(DIRECTORY + "MANIFEST");
        CorruptionException failure = assertThrows(CorruptionException.class, () -> table.after(copy, table.lastLsn()));
        assertEquals(DIRECTORY + "MANIFEST", failure.file());
        assertEquals(3, names(copy).size());
    }

    @Test
    void missing_files_are_named_all_of_them() throws IOException {
        EngineHarness table = tableWithFiles();
        table.close();
        SimStorage copy = disk.crash(new CrashChoice.KeepAll());
        copy.delete(DIRECTORY + "00000001.sst");
        copy.delete(DIRECTORY + "00000003.sst");
        CorruptionException failure = assertThrows(CorruptionException.class, () -> table.after(copy, table.lastLsn()));
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.contains("00000001.sst") && message.contains("00000003.sst"), message);
        assertFalse(message.contains("00000002.sst"), message);
    }

    @Test
    void swapped_files_are_noticed() throws IOException {
        EngineHarness table = tableWithFiles();
        table.close();
        SimStorage copy = disk.crash(new CrashChoice.KeepAll());
        byte[] first = copy.bytes(DIRECTORY + "00000001.sst");
        copy.replace(DIRECTORY + "00000001.sst", copy.bytes(DIRECTORY + "00000002.sst"));
        copy.replace(DIRECTORY + "00000002.sst", first);
        assertThrows(CorruptionException.class, () -> table.after(copy, table.lastLsn()));
        assertEquals(0, copy.openResources());
    }

    @Test
    void leftovers_go_and_foreign_files_stay() throws IOException {
        EngineHarness table = tableWithFiles();
        table.close();
        SimStorage copy = disk.crash(new CrashChoice.KeepAll());
        for (String name : List.of("00000009.sst", "00000002.sst.bak", "notes.txt", "MANIFEST.tmp", "12.sst")) {
            add(copy, name);
        }
        try (EngineHarness left = table.after(copy, table.lastLsn())) {
            left.check();
            assertFalse(names(copy).contains("00000009.sst"));
            assertTrue(names(copy).containsAll(List.of("00000002.sst.bak", "notes.txt", "12.sst")));
            left.put(new byte[] {9}, new byte[9]);
            left.engine().flush();
            assertTrue(names(copy).contains("00000010.sst"), "a number is used twice: " + names(copy));
        }
    }

    /** Not only I/O fails. Whatever an error interrupts, the files that the manifest names stay. */
    @Test
    void error_at_every_operation_of_a_flush_and_a_compaction() throws IOException {
        int at = 0;
        for (boolean isHit = true; isHit; at++) {
            SimStorage failing = new SimStorage();
            EngineHarness table =
                    EngineHarness.create(new LsmEngineProvider(), Map.of("VALUE_THRESHOLD_BYTES", 50), failing);
            for (int i = 0; i < 3; i++) {
                table.put(new byte[] {(byte) i}, new byte[100]);
                table.engine().flush();
            }
            table.put(new byte[] {1}, new byte[70]);
            int[] left = {at};
            failing.observe(() -> {
                if (left[0]-- == 0) {
                    throw new OutOfMemoryError("planted");
                }
            });
            try {
                table.engine().flush();
                table.engine().optimize(Progress.NONE);
            } catch (OutOfMemoryError | KVStoreException e) {
                assertTrue(left[0] < 0, () -> "failed by itself: " + e);
            }
            isHit = left[0] < 0;
            failing.observe(() -> {});
            checkAfter(table, failing.kill(), at + ", killed");
            try {
                table.engine().close();
            } catch (IOException | KVStoreException e) {
                assertTrue(isHit, () -> "failed by itself: " + e);
            }
            checkAfter(table, failing.kill(), at + ", closed");
            table.abandon();
        }
        assertTrue(at > 30, at + " operations");
    }

    /** A flush that finds no room leaves values where its memtable reads them; the next one makes them count. */
    @Test
    void values_survive_a_flush_that_finds_no_room() throws IOException {
        int refused = 0;
        boolean isHit = true;
        for (int at = 0; isHit || at < 2; at++) {
            FaultyStorage failing = new FaultyStorage(new SimStorage());
            try (EngineHarness table =
                    EngineHarness.create(new LsmEngineProvider(), Map.of("VALUE_THRESHOLD_BYTES", 50), failing)) {
                table.put(new byte[] {1}, new byte[100]);
                failing.arm(new FaultPlan(
                        EnumSet.of(Operation.CREATE, Operation.WRITE), at, false, FaultPlan.Fault.NO_SPACE));
                try {
                    table.engine().flush();
                } catch (IOException | KVStoreException e) {
                    refused++;
                }
                isHit = failing.failed() > 0;
                failing.disarm();
                table.check();
                table.engine().flush();
                table.reopen();
                table.check();
            }
        }
        assertTrue(refused >= 4, refused + " flushes were refused");
    }

    private static void checkAfter(EngineHarness table, SimStorage left, String what) {
        try (EngineHarness after = table.after(left, table.barrier().durableLsn())) {
            after.check();
        } catch (IOException | RuntimeException | AssertionError e) {
            throw new AssertionError("error at operation " + what, e);
        }
    }
}
