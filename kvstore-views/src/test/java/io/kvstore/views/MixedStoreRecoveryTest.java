package io.kvstore.views;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A store that has a table of each engine, and dies. The files of each table have its operations up to another lsn, and batches
 * go into all of them. The store is found as it was after one of its operations, the same one for all tables, and no operation
 * that was synced is missing. This module has all engines on the class path of its tests.
 */
final class MixedStoreRecoveryTest {

    private static final Map<String, Map<String, ?>> TABLES = Map.of(
            "HASH", Map.of(),
            "LSM", Map.of("MEM_CACHE_SIZE", 64 << 10, "VALUE_THRESHOLD_BYTES", 400),
            "BPLUS", Map.of("BTREE_ORDER", 8, "BTREE_PAGE_BUFFER_SIZE_BYTES", 32 << 10, "VALUE_THRESHOLD_BYTES", 400));

    private static final List<String> NAMES = TABLES.keySet().stream().sorted().toList();
    private static final int OPERATIONS = 240;
    private static final int KEYS = 60;

    /** Recovery tells of each log that ends in a torn record. */
    private static final Logger QUIET = Logger.getLogger("io.kvstore");

    /** All entries, by the name of the table and the key. */
    private final Map<String, String> now = new TreeMap<>();

    /** What the store had after each operation, from the last one on that was surely synced. */
    private final List<Map<String, String>> states = new ArrayList<>();

    @BeforeAll
    static void beQuiet() {
        QUIET.setLevel(Level.OFF);
    }

    @AfterAll
    static void beLoud() {
        QUIET.setLevel(null);
    }

    private static KVStore open(SimStorage disk, Durability durability) {
        StepClock clock = new StepClock();
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(disk)
                        .withClock(clock)
                        .withBackground(new StepBackground(clock))
                        .withDurability(durability)
                        .withWalSegmentBytes(64 << 10)
                        .withCheckpointLogBytes(256 << 10)
                        .withMemoryBytes(64 << 20));
    }

    @Test
    void a_power_loss_leaves_one_state_of_all_tables() {
        int older = 0;
        for (int seed = 0; seed < 4; seed++) {
            Durability durability = seed % 2 == 0 ? Durability.SYNC : Durability.BUFFERED;
            SplittableRandom random = new SplittableRandom(seed);
            SimStorage disk = new SimStorage();
            begin(disk, durability);
            for (int part = 0; part < 4; part++) {
                SimStorage next;
                try (KVStore store = open(disk, durability)) {
                    for (int i = 0; i < OPERATIONS; i++) {
                        work(store, random, durability);
                    }
                    older += crash(disk, seed, durability);
                    next = disk.kill();
                }
                disk = next; // the process was killed, and another one goes on
                requireNewest(disk, durability);
            }
        }
        assertTrue(older > 20, older + " images had an older state");
    }

    private void begin(SimStorage disk, Durability durability) {
        now.clear();
        try (KVStore store = open(disk, durability)) {
            store.createDB("db");
            for (String engine : NAMES) {
                Properties properties = new Properties();
                properties.putAll(requireNonNull(TABLES.get(engine)));
                store.createTable("db", engine, engine, properties);
            }
        }
        noteSynced();
    }

    private void noteSynced() {
        states.clear();
        states.add(Map.copyOf(now));
    }

    private void work(KVStore store, SplittableRandom random, Durability durability) {
        String name = NAMES.get(random.nextInt(NAMES.size()));
        Table table = store.table("db", name);
        String key = "key " + random.nextInt(KEYS);
        switch (random.nextInt(16)) {
            case 0 -> table.flush();
            case 1, 2, 3 -> remove(table, key);
            case 4, 5, 6, 7 -> put(table, key, random.nextInt(700));
            default -> write(store, random);
        }
        if (durability == Durability.SYNC) {
            noteSynced();
        } else {
            states.add(Map.copyOf(now));
        }
    }

    private void put(Table table, String key, int bytes) {
        String value = value(table, bytes);
        table.put(key, value.getBytes(UTF_8));
        now.put(table.name() + "/" + key, value);
    }

    /** A value that no other operation writes. */
    private String value(Table table, int bytes) {
        return table.name() + " " + states.size() + " " + now.hashCode() + " " + "x".repeat(bytes);
    }

    private void remove(Table table, String key) {
        table.remove(key);
        now.remove(table.name() + "/" + key);
    }

    /** One batch over all tables. */
    private void write(KVStore store, SplittableRandom random) {
        WriteBatch batch = new WriteBatch();
        Map<String, String> next = new TreeMap<>(now);
        for (String name : NAMES) {
            Table table = store.table("db", name);
            String key = "key " + random.nextInt(KEYS);
            String removed = "key " + random.nextInt(KEYS);
            String value = value(table, random.nextInt(700));
            batch.remove(table, removed.getBytes(UTF_8));
            next.remove(name + "/" + removed);
            batch.put(table, key.getBytes(UTF_8), value.getBytes(UTF_8));
            next.put(name + "/" + key, value);
        }
        store.write(batch);
        now.clear();
        now.putAll(next);
    }

    /** Opens what power losses leave. Returns how many have an older state than the newest one. */
    private int crash(SimStorage disk, int seed, Durability durability) {
        List<CrashChoice> choices = new ArrayList<>(List.of(new CrashChoice.DropAll(), new CrashChoice.KeepAll()));
        for (int i = 0; i < 6; i++) {
            choices.add(new CrashChoice.Random(31L * seed + i, i % 2 == 0));
        }
        int older = 0;
        for (CrashChoice choice : choices) {
            try (KVStore store = open(disk.crash(choice), durability)) {
                Map<String, String> found = entries(store);
                int state = states.lastIndexOf(found);
                assertTrue(state >= 0, () -> "after " + choice + " with seed " + seed + " there is " + found.keySet());
                older += states.getLast().equals(found) ? 0 : 1;
            }
        }
        return older;
    }

    private void requireNewest(SimStorage disk, Durability durability) {
        try (KVStore store = open(disk.kill(), durability)) {
            assertEquals(now, entries(store));
        }
    }

    private static Map<String, String> entries(KVStore store) {
        Map<String, String> found = new TreeMap<>();
        for (String name : NAMES) {
            Table table = store.table("db", name);
            assertNull(table.stats().failure());
            int count = 0;
            try (Cursor cursor = table.scan(KeyRange.all())) {
                while (cursor.next()) {
                    found.put(name + "/" + new String(cursor.key(), UTF_8), new String(cursor.value(), UTF_8));
                    count++;
                }
            }
            assertEquals(count, table.count(KeyRange.all()));
            assertEquals(List.of(), table.verify().kept());
        }
        return found;
    }
}
