package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.KeyRange;
import io.kvstore.error.DiskFullException;
import io.kvstore.io.MemoryStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store in memory with tables of one engine: it answers as any store does, is full as a disk is, and leaves nothing. */
public abstract class InMemoryStoreContract {

    private static final long LIMIT_BYTES = 48L << 20;
    private static final long MEMORY_BYTES = 16L << 20;
    private static final int STEPS = 6_000;
    private static final int KEYS = 2_000;
    private static final int MOST_TRIES = 5;
    private static final long SETTLE_MILLIS = 5_000;

    private final MemoryStorage storage = new MemoryStorage(LIMIT_BYTES);

    /** Of the tables. */
    protected abstract String engine();

    /** Of a table with little memory, whose files are small. */
    protected abstract Properties properties();

    @AfterEach
    void nothingIsLeft() {
        assertEquals(0, storage.openResources());
        storage.close();
        assertEquals(0, storage.usedBytes());
    }

    /** Whether a table that has filled the memory takes as many removals as it has entries. Else a truncation makes room. */
    protected abstract boolean removalsMakeRoom();

    private KVStoreOptions options() {
        return KVStoreOptions.defaults().withStorage(storage).withMemoryBytes(MEMORY_BYTES);
    }

    private KVStore open() {
        return new KVStore(Path.of("unused"), options());
    }

    private Table table(KVStore store) {
        store.createDB("db");
        return store.createTable("db", "t", engine(), properties());
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(SplittableRandom random, int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return value;
    }

    @Test
    void every_answer_is_that_of_the_model() {
        Seeds.each(1, 3, seed -> {
            try (KVStore store = open()) {
                history(store, new SplittableRandom(seed));
                store.dropTable("db", "t");
                store.dropDB("db");
            }
        });
    }

    private void history(KVStore store, SplittableRandom random) {
        Table table = table(store);
        Map<Integer, byte[]> model = new TreeMap<>();
        for (int step = 0; step < STEPS; step++) {
            int number = random.nextInt(KEYS);
            switch (random.nextInt(400)) {
                case 0 -> table.flush();
                case 1 -> table.optimize((done, total) -> true);
                case 2 -> store.checkpoint();
                case 3 -> compare(table, model);
                case 4 -> assertEquals(0, store.verify().total());
                case 5 -> {
                    if (random.nextInt(4) == 0) {
                        table.truncate();
                        model.clear();
                    }
                }
                case 6 -> whileWritten(store, table, model, random);
                default -> change(table, model, number, random);
            }
            byte[] expected = model.get(number);
            byte[] found = table.get(key(number));
            assertArrayEquals(expected, found, () -> "key " + number);
        }
        compare(table, model);
        assertEquals(0, store.stats().checkpoints().count());
        assertNull(store.failure());
    }

    private static void change(Table table, Map<Integer, byte[]> model, int number, SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            table.remove(key(number));
            model.remove(number);
        } else {
            byte[] value = value(random, random.nextInt(random.nextInt(20) == 0 ? 20_000 : 600));
            table.put(key(number), value);
            model.put(number, value);
        }
    }

    private static void whileWritten(KVStore store, Table table, Map<Integer, byte[]> model, SplittableRandom random) {
        Map<Integer, byte[]> before = new TreeMap<>(model);
        try (Snapshot snapshot = store.snapshot()) {
            WriteBatch batch = new WriteBatch();
            for (int number = 0; number < KEYS; number += 3) {
                byte[] value = value(random, 100);
                batch.put(table, key(number), value);
                model.put(number, value);
            }
            store.write(batch);
            before.forEach((number, value) -> assertArrayEquals(value, snapshot.get(table, key(number))));
        }
    }

    private static void compare(Table table, Map<Integer, byte[]> model) {
        Map<Integer, byte[]> found = new TreeMap<>();
        try (Cursor cursor = table.scan(KeyRange.all())) {
            int last = Integer.MIN_VALUE;
            while (cursor.next()) {
                int number = ByteBuffer.wrap(cursor.key()).getInt();
                assertTrue(!table.isOrdered() || number > last, "in the order of keys");
                assertNull(found.put(number, cursor.value()), "once");
                last = number;
            }
            assertEquals(model.keySet(), found.keySet());
            model.forEach((number, value) -> assertArrayEquals(value, found.get(number)));
        }
    }

    /** Writes are refused and nothing is lost. When room is back, writes go on. */
    @Test
    void full_memory_refuses_writes_until_there_is_room_again() {
        StepClock clock = new StepClock();
        StepBackground background = new StepBackground(clock);
        try (KVStore store =
                new KVStore(Path.of("unused"), options().withClock(clock).withBackground(background))) {
            Table table = table(store);
            SplittableRandom random = new SplittableRandom(1);
            int taken = fill(table, random, 1, background);
            assertTrue(taken > 1_000, taken + " values were taken");
            assertNull(store.failure());
            assertTrue(store.stats().memoryStorageUsedBytes() <= LIMIT_BYTES);
            assertEquals(taken, table.count(KeyRange.all()));
            requireRemedy(table, value(random, 10_000));
            makeRoom(table, taken, background);
            assertEquals(0, table.count(KeyRange.all()));
            int again = fill(table, random, MOST_TRIES, background);
            assertTrue(again > taken / 2, () -> again + " values after " + taken);
            assertEquals(again, table.count(KeyRange.all()));
            assertNull(store.failure());
        }
        background.close();
    }

    /** Where removals are refused, too, the message says what else makes room. */
    private void requireRemedy(Table table, byte[] value) {
        if (!removalsMakeRoom()) {
            DiskFullException full = assertThrows(DiskFullException.class, () -> table.put(key(0), value));
            String message = String.valueOf(full.getMessage());
            assertTrue(message.contains("truncate or drop a table") && message.contains("memoryStorageBytes"), message);
        }
    }

    private void makeRoom(Table table, int entries, StepBackground background) {
        if (removalsMakeRoom()) {
            for (int number = 0; number < entries; number++) {
                int key = number;
                assertTrue(isTaken(() -> table.remove(key(key)), MOST_TRIES, background), "removals go on");
            }
        } else {
            table.truncate();
        }
    }

    /** Puts values until one is refused, and goes on being refused. Returns how many were taken. */
    private static int fill(Table table, SplittableRandom random, int tries, StepBackground background) {
        for (int number = 0; ; number++) {
            byte[] value = value(random, 10_000);
            int key = number;
            if (!isTaken(() -> table.put(key(key), value), tries, background)) {
                return number;
            }
        }
    }

    private static boolean isTaken(Runnable write, int tries, StepBackground background) {
        for (int i = 0; i < tries; i++) {
            try {
                write.run();
                return true;
            } catch (DiskFullException e) {
                background.tick(SETTLE_MILLIS);
            }
        }
        return false;
    }
}
