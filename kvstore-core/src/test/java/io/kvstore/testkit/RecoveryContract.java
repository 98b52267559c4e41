package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.engine.TableEngine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract of an engine, part two: what is there again after closing, killing and losing power. */
abstract class RecoveryContract extends AnswersContract {

    @Test
    void checkpoint_moves_the_durable_lsn_to_the_last_operation() throws IOException {
        EngineHarness table = open();
        for (int i = 0; i < 20; i++) {
            table.put(bytes("k" + i), value(i, 40));
        }
        long last = table.lastLsn();
        assertEquals(last, table.engine().checkpoint());
        assertEquals(last, table.engine().durableLsn());
        assertEquals(last, table.engine().checkpoint(), "nothing new");
        table.put(bytes("late"), bytes("x"));
        assertEquals(last, table.engine().durableLsn());
        table.engine().flush();
        assertEquals(table.lastLsn(), table.engine().durableLsn());
    }

    @Test
    void close_without_checkpoint_keeps_exactly_what_is_durable() throws IOException {
        EngineHarness table = open();
        table.put(bytes("a"), bytes("1"));
        table.put(bytes("b"), value(1, 5000));
        long durable = table.engine().checkpoint();
        table.put(bytes("a"), bytes("2"));
        table.remove(bytes("b"));
        table.put(bytes("c"), bytes("3"));
        assertTrue(table.engine().durableLsn() >= durable);
        table.reopen();
        table.check();
        table.reopen();
        table.check();
    }

    @Test
    void durable_lsn_never_goes_back_over_many_openings() throws IOException {
        EngineHarness table = open();
        long before = 0;
        for (int round = 0; round < 12; round++) {
            for (int i = 0; i < 30; i++) {
                table.put(bytes("k" + (i * 7 + round) % 40), value(round, 100 * (i % 4)));
            }
            if (round % 3 != 2) {
                table.engine().checkpoint();
            }
            assertTrue(table.engine().durableLsn() >= before);
            before = table.engine().durableLsn();
            table.reopen();
            assertTrue(table.engine().durableLsn() >= before);
            table.check();
        }
    }

    @Test
    void commit_points_wait_for_the_log() throws IOException {
        EngineHarness table = open();
        table.put(bytes("a"), bytes("1"));
        long durable = table.engine().checkpoint();
        table.put(bytes("b"), bytes("2"));
        table.barrier().setBroken(true);
        assertThrows(IOException.class, () -> table.engine().checkpoint());
        assertEquals(durable, table.engine().durableLsn());
        TableEngine engine = table.engine();
        table.check();
        table.barrier().setBroken(false);
        table.reopen();
        assertNotEquals(engine, table.engine());
        table.check();
        long last = table.put(bytes("c"), bytes("3"));
        assertEquals(last, table.engine().checkpoint());
        assertTrue(table.barrier().commitPoints().contains(last));
    }

    /** Cuts the power at every operation of two checkpoints, in every way that {@link CrashChoice} knows. */
    @Test
    void crash_at_every_operation_of_a_checkpoint() throws IOException {
        SimStorage disk = new SimStorage();
        EngineHarness table = openFragile(new FaultyStorage(disk));
        List<Mutation> batch = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            batch.add(new Mutation.Put(bytes("k" + i), value(i, i * 20)));
        }
        table.write(batch);
        Crashes crashes = new Crashes(table, disk);
        disk.observe(crashes);
        table.engine().checkpoint();
        table.put(bytes("k3"), value(3, 700));
        table.remove(bytes("k4"));
        table.engine().flush();
        table.put(bytes("k5"), bytes("last"));
        table.background().runAll();
        crashes.run();
        disk.observe(() -> {});
        table.close();
        assertTrue(crashes.count > 20, crashes.count + " crashes");
    }

    /** Crashes a table in every way each time it is run, and opens what is left. */
    private static final class Crashes implements Runnable {

        private static final int RANDOM_CHOICES = 4;

        private final EngineHarness table;
        private final SimStorage disk;
        private int count;
        private boolean busy;

        Crashes(EngineHarness table, SimStorage disk) {
            this.table = table;
            this.disk = disk;
        }

        @Override
        public void run() {
            if (busy) {
                return;
            }
            busy = true;
            long durable = table.engine().durableLsn();
            for (CrashChoice choice : CrashChoice.enumerate(disk.pendingOperations(), RANDOM_CHOICES, count)) {
                SimStorage left = disk.crash(choice);
                try (EngineHarness recovered = table.after(left, table.barrier().durableLsn())) {
                    if (recovered.engine().durableLsn() < durable) {
                        throw new AssertionError("lost a durable checkpoint");
                    }
                    recovered.check();
                    recovered.put(bytes("after"), bytes("crash"));
                    recovered.engine().checkpoint();
                    recovered.reopen();
                    recovered.check();
                } catch (IOException | RuntimeException | AssertionError e) {
                    throw new AssertionError(
                            "after " + choice + " at operation " + disk.operations() + ": " + e.getMessage(), e);
                }
                count++;
            }
            busy = false;
        }
    }

    @Test
    void killed_process_loses_nothing_that_was_written() throws IOException {
        SimStorage disk = new SimStorage();
        EngineHarness table = openFragile(new FaultyStorage(disk));
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 20; i++) {
                table.put(bytes("k" + i), value(i * round, 300));
            }
            table.engine().flush();
            table.put(bytes("tail"), value(round, 10));
            try (EngineHarness recovered =
                    table.after(disk.kill(), table.barrier().durableLsn())) {
                assertTrue(recovered.engine().durableLsn() >= table.engine().durableLsn());
                recovered.check();
            }
        }
        table.close();
    }

    @Test
    void optimize_can_be_stopped_and_loses_nothing() throws IOException {
        EngineHarness table = open();
        for (int i = 0; i < 800; i++) {
            table.put(bytes("k" + i % 300), value(i, 60));
            if (i % 200 == 199) {
                table.engine().flush();
            }
        }
        table.engine().optimize((done, total) -> false);
        table.check();
        table.engine().optimize((done, total) -> {
            assertTrue(done >= 0 && done <= Math.max(total, done));
            return true;
        });
        table.check();
        table.reopen();
        table.check();
    }
}
