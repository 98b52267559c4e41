package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Findings;
import io.kvstore.engine.ReadView;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.KVStoreException;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Power cuts, failures and damage around background flushes and compactions. */
final class LsmFaultTest {

    private static final Map<String, ?> TINY = Map.of("MEM_CACHE_SIZE", 65_536, "MAX_SSTABLES", 6);

    private final SimStorage disk = new SimStorage();
    private final FaultyStorage faulty = new FaultyStorage(disk);

    private EngineHarness open() throws IOException {
        return EngineHarness.create(new LsmEngineProvider(), TINY, faulty);
    }

    private static byte[] key(int number) {
        return ("key-" + number).getBytes(StandardCharsets.UTF_8);
    }

    /** Four overlapping files in level 0, whose compaction is queued, over files in deeper levels. */
    private static void prepare(EngineHarness table) throws IOException {
        for (int i = 0; i < 30; i++) {
            table.put(key(i), new byte[3_000]);
        }
        table.engine().optimize((done, total) -> true);
        fill(table, 0);
    }

    private static void fill(EngineHarness table, int seed) throws IOException {
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 8; i++) {
                int number = (seed + round * 5 + i * 3) % 30;
                if (i == 7) {
                    table.remove(key(number));
                } else {
                    table.put(key(number), new byte[1_000 + seed + round * 10 + i]);
                }
            }
            table.engine().flush();
        }
    }

    @Test
    void power_cut_at_every_operation_of_flush_compaction_and_optimize() throws IOException {
        EngineHarness table = open();
        prepare(table);
        int[] crashes = {0};
        boolean[] busy = {false};
        disk.observe(() -> {
            if (!busy[0]) {
                busy[0] = true;
                crashes[0] += crash(table);
                busy[0] = false;
            }
        });
        table.background().runAll();
        fill(table, 11);
        table.background().runAll();
        table.engine().optimize((done, total) -> true);
        disk.observe(() -> {});
        table.check();
        table.close();
        assertTrue(crashes[0] > 500, crashes[0] + " crashes");
    }

    private int crash(EngineHarness table) {
        List<CrashChoice> choices = CrashChoice.enumerate(disk.pendingOperations(), 2, disk.operations());
        for (CrashChoice choice : choices) {
            try (EngineHarness left =
                    table.after(disk.crash(choice), table.barrier().durableLsn())) {
                assertTrue(left.engine().durableLsn() >= table.engine().durableLsn());
                left.check();
                left.background().runAll();
                left.engine().checkpoint();
                Findings findings = new Findings();
                left.engine().verify(findings);
                assertEquals(List.of(), findings.kept());
                left.check();
            } catch (IOException | RuntimeException | AssertionError e) {
                throw new AssertionError("after " + choice + " at operation " + disk.operations() + ": " + e, e);
            }
        }
        return choices.size();
    }

    /** Fails each operation of background work once or from then on, writes go on beside it, then all is well again. */
    @Test
    void every_operation_of_background_work_fails() throws IOException {
        FaultPlan[] plans = {
            FaultPlan.ioError(0),
            FaultPlan.ioError(0).sticky(true),
            FaultPlan.diskFull(0),
            FaultPlan.diskFull(0).sticky(false).with(FaultPlan.Fault.SHORT_NO_SPACE)
        };
        for (FaultPlan plan : plans) {
            long at = 0;
            long failed;
            do {
                failed = fail(new FaultPlan(plan.kinds(), at++, plan.sticky(), plan.fault()));
            } while (failed > 0);
            assertTrue(at > 10, "only " + at + " operations");
        }
    }

    private static long fail(FaultPlan plan) throws IOException {
        SimStorage disk = new SimStorage();
        FaultyStorage faulty = new FaultyStorage(disk);
        EngineHarness table = EngineHarness.create(new LsmEngineProvider(), TINY, faulty);
        prepare(table);
        faulty.arm(plan);
        try {
            for (int i = 0; i < 90; i++) {
                table.put(key(i % 35), new byte[2_000 + i]);
            }
            table.background().runAll();
        } catch (IOException | KVStoreException e) {
            assertNotNull(e.getMessage());
        }
        faulty.disarm();
        table.check();
        if (table.failure() == null) {
            table.put(key(3), new byte[77]);
            table.engine().flush();
            table.background().runAll();
            table.check();
            table.reopen();
        }
        table.check();
        table.engine().close();
        assertEquals(0, disk.openResources(), () -> "open files after " + plan);
        assertEquals(0, table.memory().usedBytes(), () -> "memory after " + plan);
        try (EngineHarness left = table.after(
                disk.crash(new CrashChoice.DropAll()), table.barrier().durableLsn())) {
            left.check();
        }
        return faulty.failed();
    }

    @Test
    void failed_sync_stops_the_table_for_good() throws IOException {
        EngineHarness table = open();
        prepare(table);
        faulty.arm(new FaultPlan(EnumSet.of(Operation.SYNC), 0, false, FaultPlan.Fault.EIO));
        table.background().runAll();
        faulty.disarm();
        assertNotNull(table.failure());
        long durable = table.engine().durableLsn();
        table.put(key(1), new byte[1]);
        assertThrows(IOException.class, () -> table.engine().checkpoint());
        assertEquals(durable, table.engine().durableLsn());
        table.check();
        table.engine().close();
    }

    @Test
    void full_disk_refuses_writes_when_memory_is_full_and_takes_them_again_when_there_is_room() throws IOException {
        EngineHarness table = open();
        prepare(table);
        table.background().runAll();
        faulty.arm(FaultPlan.diskFull(0));
        DiskFullException refusal = assertThrows(DiskFullException.class, () -> {
            for (int i = 0; i < 1_000; i++) {
                table.put(key(i), new byte[1_000]);
            }
        });
        assertNotNull(refusal.getMessage());
        table.check();
        assertNull(table.failure());
        faulty.disarm();
        for (int i = 0; i < 300; i++) {
            table.put(key(i), new byte[900]);
        }
        table.engine().flush();
        table.check();
        table.close();
    }

    /** Damage in one file: reads beside it go on, its compaction is given up, and the table says so. */
    @Test
    void compaction_that_meets_damage_leaves_the_rest_readable() throws IOException {
        EngineHarness table = open();
        prepare(table);
        String newest =
                disk.files().stream().filter(name -> name.endsWith(".sst")).reduce("", (a, b) -> b);
        byte[] bytes = disk.bytes(newest);
        bytes[100] ^= 1;
        disk.replace(newest, bytes);
        table.background().runAll();
        assertNull(table.failure());
        Findings findings = new Findings();
        table.engine().verify(findings);
        assertTrue(findings.total() > 0);
        int readable = 0;
        int damaged = 0;
        for (int i = 0; i < 30; i++) {
            try {
                byte[] value = table.engine().get(key(i), ReadView.LATEST);
                byte[] expected = table.model().get(key(i));
                assertEquals(expected == null ? -1 : expected.length, value == null ? -1 : value.length);
                readable++;
            } catch (CorruptionException e) {
                assertEquals(newest, e.file());
                damaged++;
            }
        }
        assertTrue(readable > 15 && damaged > 0, readable + " readable, " + damaged + " damaged");
        table.put(key(99), new byte[5]);
        table.engine().checkpoint();
        table.close();
    }
}
