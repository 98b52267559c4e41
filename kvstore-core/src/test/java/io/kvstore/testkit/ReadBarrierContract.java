package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.io.Storage;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * In a {@code SYNC} table no answer rests on what a power loss can take back. Each test writes without waiting, reads, cuts
 * the power, and finds what was read.
 */
public abstract class ReadBarrierContract {

    private static final byte[] KEY = {1};
    private static final byte[] OLD = {2};
    private static final byte[] NEW = {3};

    private final SimStorage disk = new SimStorage();

    /** The engine's name. */
    protected abstract String engine();

    private KVStore open(Storage storage) {
        StepClock clock = new StepClock();
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(storage)
                        .withClock(clock)
                        .withBackground(new StepBackground(clock))
                        .withWalSegmentBytes(64 << 10)
                        .withMemoryBytes(64 << 20));
    }

    /** Writes buffered, reads, and gives what a power loss leaves to the check. */
    private void cutPowerAfter(Consumer<Table> write, Consumer<Table> read, Consumer<Table> check) {
        KVStore store = open(disk);
        store.createDB("db");
        Table table = store.createTable("db", "t", engine());
        table.put(KEY, OLD);
        write.accept(table);
        read.accept(table);
        try (KVStore after = open(disk.crash(new CrashChoice.DropAll()))) {
            check.accept(after.table("db", "t"));
        }
        store.close();
    }

    private static void putBuffered(Table table) {
        table.put(KEY, NEW, Durability.BUFFERED);
    }

    private static void isNew(Table table) {
        assertArrayEquals(NEW, table.get(KEY));
    }

    @Test
    void without_a_read_the_buffered_write_is_lost() {
        cutPowerAfter(ReadBarrierContract::putBuffered, table -> {}, table -> assertArrayEquals(OLD, table.get(KEY)));
    }

    @Test
    void a_value_that_was_read() {
        cutPowerAfter(ReadBarrierContract::putBuffered, ReadBarrierContract::isNew, ReadBarrierContract::isNew);
    }

    @Test
    void an_absence_that_was_read() {
        cutPowerAfter(
                table -> table.remove(KEY, Durability.BUFFERED),
                table -> assertNull(table.get(KEY)),
                table -> assertNull(table.get(KEY)));
    }

    @Test
    void an_entry_that_was_scanned() {
        cutPowerAfter(
                ReadBarrierContract::putBuffered,
                table -> {
                    try (Cursor cursor = table.scan(KeyRange.all())) {
                        assertTrue(cursor.next());
                        assertArrayEquals(NEW, cursor.value());
                    }
                },
                ReadBarrierContract::isNew);
    }

    @Test
    void a_count() {
        cutPowerAfter(
                table -> table.remove(KEY, Durability.BUFFERED),
                table -> assertEquals(0, table.count(KeyRange.all())),
                table -> assertEquals(0, table.count(KeyRange.all())));
    }

    @Test
    void a_condition_that_failed() {
        cutPowerAfter(
                ReadBarrierContract::putBuffered,
                table -> assertFalse(table.replace(KEY, OLD, OLD)),
                ReadBarrierContract::isNew);
    }

    @Test
    void a_condition_that_held_for_a_buffered_write() {
        cutPowerAfter(
                ReadBarrierContract::putBuffered,
                table -> assertTrue(
                        table.putIf(new Condition.ValueIs(KEY, NEW), new byte[] {9}, NEW, Durability.BUFFERED)),
                ReadBarrierContract::isNew);
    }

    /** The write was applied, so it may be there afterwards: whoever repeats it has to know. */
    @Test
    void a_condition_that_held_for_a_buffered_write_when_the_log_fails() {
        FaultyStorage faulty = new FaultyStorage(disk);
        KVStore store = open(faulty);
        store.createDB("db");
        Table table = store.createTable("db", "t", engine());
        putBuffered(table);
        faulty.arm(new FaultPlan(EnumSet.of(Operation.SYNC), 0, true, FaultPlan.Fault.EIO));
        assertThrows(
                OutcomeUnknownException.class,
                () -> table.putIf(new Condition.ValueIs(KEY, NEW), new byte[] {9}, NEW, Durability.BUFFERED));
        store.close();
        try (KVStore after = open(disk.kill())) {
            assertArrayEquals(NEW, after.table("db", "t").get(new byte[] {9}));
        }
    }

    @Test
    void a_value_that_was_read_in_a_snapshot() {
        KVStore store = open(disk);
        store.createDB("db");
        Table table = store.createTable("db", "t", engine());
        putBuffered(table);
        try (Snapshot snapshot = store.snapshot()) {
            assertArrayEquals(NEW, snapshot.get(table, KEY));
        }
        try (KVStore after = open(disk.crash(new CrashChoice.DropAll()))) {
            isNew(after.table("db", "t"));
        }
        store.close();
    }
}
