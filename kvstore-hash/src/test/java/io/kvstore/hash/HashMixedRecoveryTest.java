package io.kvstore.hash;

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
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * A store is killed whose tables, on several engines, have their operations up to different lsns in their own files. One was
 * dropped, one has another name, and one was created late. What each needs of the log lies between what the others need.
 */
final class HashMixedRecoveryTest {

    private static final int PARTS = 16;
    private static final int CHANGES_A_PART = 120; // of some 700 bytes: a part takes more than a segment
    private static final int KEYS = 150;
    private static final String[] ENGINES = {"HASH", "MODEL", CrowdedEngineProvider.NAME};

    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);

    /** What each table has, by its name. */
    private final Map<String, Map<Integer, Integer>> model = new TreeMap<>();

    private KVStoreOptions options(SimStorage disk) {
        return KVStoreOptions.defaults()
                .withStorage(disk)
                .withClock(clock)
                .withBackground(background)
                .withDurability(Durability.BUFFERED)
                .withWalSegmentBytes(64 << 10)
                .withCheckpointLogBytes(64 << 20)
                .withMemoryBytes(64 << 20);
    }

    @Test
    void each_table_has_all_its_changes_after_a_crash() {
        for (int seed = 0; seed < 12; seed++) {
            model.clear();
            SimStorage disk = new SimStorage();
            SimStorage killed;
            try (KVStore store = new KVStore(Path.of("unused"), options(disk))) {
                fill(store, new SplittableRandom(seed));
                killed = disk.kill();
            }
            try (KVStore store =
                    new KVStore(Path.of("unused"), options(killed.kill()).withReadOnly(true))) {
                long applied = store.recovery().applied();
                assertTrue(
                        applied > CHANGES_A_PART && applied < store.recovery().records(), applied + " applied");
                check(store, seed);
            }
            try (KVStore store = new KVStore(Path.of("unused"), options(killed))) {
                check(store, seed);
            }
        }
    }

    private void fill(KVStore store, SplittableRandom random) {
        store.createDB("db");
        for (int i = 0; i < 6; i++) {
            create(store, "t" + i, ENGINES[i % ENGINES.length]);
        }
        for (int part = 0; part < PARTS; part++) {
            List<String> names = new ArrayList<>(model.keySet());
            String one = names.get(random.nextInt(names.size()));
            String other = random.nextBoolean() ? one : names.get(random.nextInt(names.size()));
            change(store, one, other, random);
            if (random.nextInt(3) > 0) {
                store.table("db", names.get(random.nextInt(names.size()))).flush();
            }
            switch (part) {
                case PARTS / 4 -> {
                    store.dropTable("db", names.getFirst());
                    model.remove(names.getFirst());
                }
                case PARTS / 2 -> {
                    String renamed = names.get(1);
                    store.renameTable("db", renamed, "renamed");
                    model.put("renamed", new TreeMap<>(model.get(renamed)));
                    model.remove(renamed);
                }
                case 3 * PARTS / 4 -> create(store, "late", ENGINES[random.nextInt(ENGINES.length)]);
                default -> {}
            }
        }
    }

    private void create(KVStore store, String name, String engine) {
        store.createTable("db", name, engine);
        model.put(name, new TreeMap<>());
    }

    private void change(KVStore store, String one, String other, SplittableRandom random) {
        for (int i = 0; i < CHANGES_A_PART; i++) {
            String name = random.nextBoolean() ? one : other;
            int key = random.nextInt(KEYS);
            if (i % 10 == 0) {
                WriteBatch batch = new WriteBatch();
                for (String each : one.equals(name) ? List.of(one) : List.of(one, name)) {
                    batch.put(store.table("db", each), key(key), value(i));
                    requireNonNull(model.get(each)).put(key, i);
                }
                store.write(batch);
            } else if (i % 7 == 0) {
                store.table("db", name).remove(key(key));
                requireNonNull(model.get(name)).remove(key);
            } else {
                store.table("db", name).put(key(key), value(i));
                requireNonNull(model.get(name)).put(key, i);
            }
        }
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int number) {
        return ByteBuffer.allocate(700).putInt(number).array();
    }

    private void check(KVStore store, int seed) {
        assertEquals(model.keySet(), Set.copyOf(store.tables("db")));
        model.forEach((name, expected) -> {
            Table table = store.table("db", name);
            assertNull(table.stats().failure());
            Map<Integer, Integer> found = new TreeMap<>();
            try (Cursor cursor = table.scan(KeyRange.all())) {
                while (cursor.next()) {
                    found.put(
                            ByteBuffer.wrap(cursor.key()).getInt(),
                            ByteBuffer.wrap(cursor.value()).getInt());
                }
            }
            assertEquals(expected, found, () -> name + " with seed " + seed);
        });
    }
}
