package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Findings;
import io.kvstore.engine.ReadView;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import io.kvstore.io.NoSpaceException;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Contract of an engine, part three: damaged files, failing operations, a full disk. */
abstract class DamageContract extends RecoveryContract {

    private static final int EXHAUSTIVE_BYTES = 1024;
    private static final int SAMPLED_FLIPS = Sweeps.count(500, 3_000);

    /** By this from one bit to the next each byte has a bit that is flipped, and in turns each bit of a byte. */
    private static final int STEP_BITS = Sweeps.count(5, 1);

    private static final int ROTTEN_KEYS = 200;

    /** What became of a damage. */
    private enum Found {
        HARMLESS,
        REPORTED
    }

    /** Bits of every byte of small files, a sample of the bits of larger ones. */
    @Test
    void flipped_bit_gives_the_true_answer_or_a_corruption() throws IOException {
        Damaged damaged = new Damaged();
        int reported = 0;
        for (String file : damaged.disk.files()) {
            byte[] bytes = damaged.disk.bytes(file);
            SplittableRandom random = new SplittableRandom(bytes.length);
            boolean exhaustive = bytes.length <= EXHAUSTIVE_BYTES;
            int flips = exhaustive ? bytes.length * 8 / STEP_BITS : SAMPLED_FLIPS;
            for (int flip = 0; flip < flips; flip++) {
                int bit = exhaustive ? flip * STEP_BITS : random.nextInt(bytes.length * 8);
                Found found = damaged.with(file, "bit " + bit, all -> {
                    all[bit / 8] ^= (byte) (1 << bit % 8);
                    return all;
                });
                reported += found == Found.REPORTED ? 1 : 0;
            }
        }
        assertTrue(reported > 100, "only " + reported + " flips were noticed");
    }

    @Test
    void cut_grown_zeroed_and_shifted_files_give_the_true_answer_or_a_corruption() throws IOException {
        Damaged damaged = new Damaged();
        SplittableRandom random = new SplittableRandom(7);
        for (String file : damaged.disk.files()) {
            int length = damaged.disk.bytes(file).length;
            for (int round = 0; round < Sweeps.count(75, 150); round++) {
                int at = round < 20 ? Math.min(round, length) : random.nextInt(length + 1);
                int end = Math.min(at + (round % 2 == 0 ? 512 : random.nextInt(1, 100)), length);
                damaged.with(file, "cut to " + at, all -> Arrays.copyOf(all, at));
                damaged.with(file, "zeros from " + at, all -> {
                    Arrays.fill(all, at, end, (byte) 0);
                    return all;
                });
                damaged.with(file, "grown by " + (at + 1), all -> Arrays.copyOf(all, all.length + at + 1));
                damaged.with(file, "shifted at " + at, all -> {
                    System.arraycopy(all.clone(), at, all, Math.max(at - 1, 0), end - at);
                    return all;
                });
            }
        }
    }

    /** A table with everything in its files, to be damaged again and again. */
    private final class Damaged {

        private final SimStorage disk = new SimStorage();
        private final EngineHarness table = openFragile(new FaultyStorage(disk));

        Damaged() throws IOException {
            for (int i = 0; i < 12; i++) {
                table.put(bytes("key-" + i), value(i, i * 3));
            }
            table.engine().flush();
            table.put(bytes("key-1"), value(100, 300));
            table.remove(bytes("key-2"));
            table.engine().checkpoint();
            table.close();
        }

        Found with(String file, String what, UnaryOperator<byte[]> damage) throws IOException {
            SimStorage copy = disk.crash(new CrashChoice.KeepAll());
            copy.replace(file, damage.apply(copy.bytes(file)));
            try (EngineHarness recovered = table.after(copy, table.lastLsn())) {
                Findings findings = new Findings();
                recovered.check();
                recovered.engine().verify(findings);
                return findings.total() > 0 ? Found.REPORTED : Found.HARMLESS;
            } catch (CorruptionException e) {
                return Found.REPORTED;
            } catch (RuntimeException | IOException | AssertionError e) {
                throw new AssertionError(file + ", " + what + ": " + e, e);
            } finally {
                assertEquals(0, copy.openResources(), "open files after " + file + ", " + what);
            }
        }
    }

    /** A bit of a value rots, and every other key is written again and again: all of that is taken. */
    @Test
    void rotten_value_costs_nothing_but_itself() throws IOException {
        SimStorage disk = new SimStorage();
        EngineHarness table = openFragile(new FaultyStorage(disk));
        for (int i = 0; i < ROTTEN_KEYS; i++) {
            table.put(bytes("key-" + i), value(i, 1_000));
        }
        table.engine().flush();
        table.background().runAll();
        for (String file : disk.files()) {
            if (file.endsWith(".val")) {
                byte[] whole = disk.bytes(file);
                whole[whole.length / 2] ^= 1;
                disk.replace(file, whole);
            }
        }
        Set<Integer> rotten = rotten(table);
        for (int put = 0; put < 20 * ROTTEN_KEYS; put++) {
            if (!rotten.contains(put % ROTTEN_KEYS)) {
                table.put(bytes("key-" + put % ROTTEN_KEYS), value(put, 1_000));
            }
            if (put % 10 == 0) {
                table.background().runNext();
            }
        }
        table.engine().flush();
        table.background().runAll();
        table.engine().optimize((done, total) -> true);
        assertEquals(rotten, rotten(table));
        for (int key : rotten) {
            table.put(bytes("key-" + key), value(key, 10));
        }
        table.check();
        assertEquals(null, table.failure());
        table.close();
    }

    private static Set<Integer> rotten(EngineHarness table) throws IOException {
        Set<Integer> rotten = new TreeSet<>();
        for (int i = 0; i < ROTTEN_KEYS; i++) {
            try {
                byte[] expected = table.model().get(bytes("key-" + i));
                assertArrayEquals(expected, table.engine().get(bytes("key-" + i), ReadView.LATEST));
            } catch (CorruptionException e) {
                rotten.add(i);
            }
        }
        return rotten;
    }

    @Test
    void every_operation_fails_once_with_an_io_error() throws IOException {
        failEachOnce(FaultPlan.ioError(0));
        failEachOnce(FaultPlan.ioError(0).with(FaultPlan.Fault.SHORT_EIO));
    }

    @Test
    void every_operation_fails_from_some_moment_on() throws IOException {
        failEachOnce(FaultPlan.ioError(0).sticky(true));
        failEachOnce(FaultPlan.diskFull(0));
    }

    @Test
    void every_operation_finds_the_disk_full_once() throws IOException {
        failEachOnce(FaultPlan.diskFull(0).sticky(false));
        failEachOnce(FaultPlan.diskFull(0).sticky(false).with(FaultPlan.Fault.SHORT_NO_SPACE));
    }

    @Test
    void every_operation_of_an_opening_fails_once() throws IOException {
        SimStorage disk = new SimStorage();
        EngineHarness table = openFragile(new FaultyStorage(disk));
        workload(table);
        long failed;
        long at = 0;
        do {
            FaultyStorage copy = new FaultyStorage(disk.kill());
            copy.arm(FaultPlan.ioError(at++));
            try (EngineHarness recovered = table.after(copy, table.lastLsn())) {
                copy.disarm();
                recovered.check();
            } catch (IOException | KVStoreException e) {
                assertTrue(copy.failed() > 0, () -> "failed without a fault: " + e);
            }
            copy.disarm();
            assertEquals(0, copy.openResources(), "open files after a failed opening");
            failed = copy.failed();
            table.after(copy, table.lastLsn()).close();
        } while (failed > 0);
        table.close();
    }

    private void failEachOnce(FaultPlan plan) throws IOException {
        long failed;
        long at = 0;
        do {
            failed = fail(new FaultPlan(plan.kinds(), at++, plan.sticky(), plan.fault()));
        } while (failed > 0);
        assertTrue(at > 3, "the workload has only " + at + " operations");
    }

    /** Runs a workload that meets the fault; returns how many operations failed. */
    private long fail(FaultPlan plan) throws IOException {
        SimStorage disk = new SimStorage();
        FaultyStorage faulty = new FaultyStorage(disk);
        EngineHarness table = openFragile(faulty);
        faulty.arm(plan);
        try {
            workload(table);
        } catch (IOException | KVStoreException e) {
            faulty.disarm();
            try {
                table.check();
            } catch (IOException | KVStoreException unreadable) {
                assertTrue(unreadable.getMessage() != null, "a failure says what it is");
            }
        }
        faulty.disarm();
        long failed = faulty.failed();
        for (CrashChoice choice : List.of(new CrashChoice.DropAll(), new CrashChoice.KeepAll())) {
            try (EngineHarness recovered =
                    table.after(disk.crash(choice), Math.max(table.barrier().durableLsn(), 0))) {
                recovered.check();
            } catch (IOException | KVStoreException | AssertionError e) {
                throw new AssertionError("after " + plan + " that hit " + faulty.failures() + " and " + choice, e);
            }
        }
        table.engine().close();
        assertEquals(0, disk.openResources(), () -> "open files after " + plan);
        return failed;
    }

    private static void workload(EngineHarness table) throws IOException {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 8; i++) {
                table.put(bytes("k" + i * (round + 1)), value(i + round, 100 * round));
            }
            table.remove(bytes("k" + round));
            table.engine().flush();
            table.background().runAll();
        }
        table.engine().optimize((done, total) -> true);
        table.check();
        table.engine().verify(new Findings());
    }

    @Test
    void full_disk_rejects_checkpoints_and_the_table_goes_on_when_there_is_room() throws IOException {
        SimStorage disk = new SimStorage();
        FaultyStorage faulty = new FaultyStorage(disk);
        EngineHarness table = openFragile(faulty);
        long durable = 0;
        for (int at = 0; at < 6; at++) {
            table.put(bytes("k" + at), value(at, 2000));
            faulty.arm(
                    new FaultPlan(EnumSet.of(Operation.CREATE, Operation.WRITE), at, true, FaultPlan.Fault.NO_SPACE));
            try {
                durable = table.engine().checkpoint();
            } catch (NoSpaceException | KVStoreException e) {
                assertEquals(durable, table.engine().durableLsn());
            }
            table.check();
            faulty.disarm();
            durable = table.engine().checkpoint();
            assertEquals(table.lastLsn(), durable);
            table.check();
        }
        assertEquals(null, table.failure());
        table.reopen();
        table.check();
        table.close();
    }
}
