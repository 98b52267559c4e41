package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Merge;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.io.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * In a {@code SYNC} table no answer rests on what a power loss can take back. Each test writes without waiting, reads, cuts
 * the power, and finds what was read.
 */
@Tag("races")
public abstract class ReadBarrierContract {

    private static final byte[] KEY = {1};
    private static final byte[] OTHER = {5};
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
        SimStorage alone = new SimStorage();
        KVStore store = open(alone);
        store.createDB("db");
        Table table = store.createTable("db", "t", engine());
        table.put(KEY, OLD);
        write.accept(table);
        read.accept(table);
        try (KVStore after = open(alone.crash(new CrashChoice.DropAll()))) {
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
    void a_value_that_a_reader_was_shown() {
        cutPowerAfter(
                ReadBarrierContract::putBuffered,
                table -> assertEquals(true, table.<Boolean>read(KEY, ByteBuffer.wrap(NEW)::equals)),
                ReadBarrierContract::isNew);
        cutPowerAfter(
                table -> table.remove(KEY, Durability.BUFFERED),
                table -> assertEquals(true, table.<Boolean>read(KEY, Objects::isNull)),
                table -> assertNull(table.get(KEY)));
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

    @Test
    void whether_a_key_is_contained() {
        cutPowerAfter(
                table -> table.remove(KEY, Durability.BUFFERED),
                table -> assertFalse(table.contains(KEY)),
                table -> assertFalse(table.contains(KEY)));
        cutPowerAfter(
                table -> table.put(OTHER, NEW, Durability.BUFFERED),
                table -> assertTrue(table.contains(OTHER)),
                table -> assertTrue(table.contains(OTHER)));
    }

    @Test
    void a_merge_that_was_refused() {
        cutPowerAfter(
                ReadBarrierContract::putBuffered,
                table -> assertThrows(InvalidRequestException.class, () -> table.add(KEY, 1)),
                ReadBarrierContract::isNew);
    }

    @Test
    void a_previous_value_that_a_buffered_write_returned() {
        cutPowerAfter(
                ReadBarrierContract::putBuffered,
                table -> assertArrayEquals(NEW, table.getAndPut(KEY, NEW, Durability.BUFFERED)),
                ReadBarrierContract::isNew);
    }

    @Test
    void a_result_that_a_buffered_merge_returned() {
        cutPowerAfter(
                ReadBarrierContract::putBuffered,
                table -> assertEquals(2, table.merge(new Merge.Append(KEY, NEW), Durability.BUFFERED).length),
                table -> assertNotEquals(OLD[0], Objects.requireNonNull(table.get(KEY))[0]));
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

    /** Holds up the next sync of the log until it is let go. */
    private static final class HeldSync implements HookedStorage.Hook {

        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private volatile boolean holds;

        @Override
        public @Nullable Object call(String name, String path, HookedStorage.Proceed proceed) throws Throwable {
            if (holds && path.startsWith("wal/") && (name.equals("sync") || name.equals("force"))) {
                begun.countDown();
                released.await();
            }
            return proceed.call();
        }
    }

    /** What all kinds of looks at more than one key show. */
    private static String looks(Table table) {
        List<String> seen = new ArrayList<>();
        KeyRange all = KeyRange.all();
        for (KeyRange range : table.isOrdered() ? List.of(all, all.reverse()) : List.of(all)) {
            try (Cursor cursor = table.scan(range)) {
                while (cursor.next()) {
                    seen.add(Arrays.toString(cursor.key()) + Arrays.toString(cursor.value()));
                }
            }
        }
        table.getAll(List.of(KEY, OTHER)).forEach(value -> seen.add(Arrays.toString(value)));
        return seen + " " + table.count(KeyRange.all());
    }

    /** Whoever finds that nothing is to be waited for is there as well, and does not sleep. */
    private static boolean sleepsInBarrier(Thread thread) {
        boolean sleeps = thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
        return sleeps
                && Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("beforeAnswer"));
    }

    /** Beside a sync that does not end a look shows what was durable before, at once. */
    @Test
    void looks_beside_a_sync() throws InterruptedException {
        HeldSync held = new HeldSync();
        KVStoreOptions options = KVStoreOptions.defaults()
                .withStorage(HookedStorage.over(disk, held))
                .withWalSegmentBytes(64 << 10)
                .withMemoryBytes(64 << 20);
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", engine());
            table.put(KEY, OLD);
            table.put(OTHER, OLD);
            String before = looks(table);
            held.holds = true;
            Thread writer = Thread.ofPlatform()
                    .start(() ->
                            store.write(new WriteBatch().remove(table, OTHER).put(table, KEY, NEW)));
            held.begun.await();
            long lastSeen = table.lastLsn();
            Thread reader = Thread.ofPlatform().start(() -> seen.add(looks(table)));
            while (reader.isAlive() && !sleepsInBarrier(reader)) {
                Thread.onSpinWait();
            }
            boolean waits = reader.isAlive();
            held.released.countDown();
            reader.join();
            writer.join();
            String after = looks(table);
            assertFalse(waits, "it waits");
            assertEquals(List.of(before), seen);
            assertNotEquals(before, after, "what was acknowledged is seen");
            assertNotEquals(lastSeen, table.lastLsn(), "looks differ, and so do their lsns");
        }
    }

    /** A write that was acknowledged before it is durable is seen, and waited for. */
    @Test
    void a_look_waits_for_what_was_acknowledged() {
        KVStore store = open(disk);
        store.createDB("db");
        Table table = store.createTable("db", "t", engine());
        table.put(KEY, OLD);
        table.put(OTHER, OLD);
        store.write(new WriteBatch().remove(table, OTHER).put(table, KEY, NEW), Durability.BUFFERED);
        String seen = looks(table);
        try (KVStore after = open(disk.crash(new CrashChoice.DropAll()))) {
            assertEquals(seen, looks(after.table("db", "t")));
            isNew(after.table("db", "t"));
        }
        store.close();
    }
}
