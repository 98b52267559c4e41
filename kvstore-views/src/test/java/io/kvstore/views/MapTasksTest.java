package io.kvstore.views;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.TableConfParamsEnum;
import io.kvstore.WriteBatch;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.error.ConditionFailedException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What a program does with a map that is kept in files or in memory, each task in the lines that a user needs for it. */
@ParameterizedClass
@ValueSource(strings = {"LSM", "BPLUS"})
final class MapTasksTest {

    private final String engine;

    @TempDir
    private Path directory;

    MapTasksTest(String engine) {
        this.engine = engine;
    }

    /** Setting up a map: a store, a table, and the codecs of its keys and values. */
    private TableMap<Long, String> names(KVStore store) {
        store.createDatabaseIfAbsent("app");
        return TableMap.of(store.tableOrCreate("app", "names", engine), Codecs.LONG, Codecs.STRING);
    }

    private static Table table(KVStore store) {
        return store.table("app", "names");
    }

    @Test
    void a_map_in_memory() {
        try (KVStore store = KVStore.inMemory()) {
            Map<Long, String> names = names(store);
            names.put(1L, "one");
            assertEquals("one", names.put(1L, "uno"));
            assertEquals(Map.of(1L, "uno"), names);
            assertEquals("uno", names.remove(1L));
        }
    }

    @Test
    void a_map_that_stays() {
        try (KVStore store = new KVStore(directory.toFile())) {
            names(store).put(1L, "one");
        }
        try (KVStore store = new KVStore(directory.toFile())) {
            assertEquals(Map.of(1L, "one"), names(store));
        }
    }

    @Test
    void a_map_that_goes_with_its_store() {
        try (KVStore store = KVStore.temporary()) {
            names(store).put(1L, "one");
            assertEquals("one", names(store).get(1L));
        }
    }

    /** A write survives nothing, a killed process, or a loss of power. The log is chosen by table, the rest also by write. */
    @Test
    void three_durabilities() {
        KVStoreOptions buffered = KVStoreOptions.defaults().withDurability(Durability.BUFFERED);
        try (KVStore store = new KVStore(directory, buffered)) {
            names(store).put(1L, "survives a killed process");
            table(store).put(Codecs.LONG.encode(2L), "survives all".getBytes(UTF_8), Durability.SYNC);
            Properties none = new Properties();
            none.put(TableConfParamsEnum.ENABLE_WAL, "false");
            Table cache = store.tableOrCreate("app", "cache", engine, none);
            TableMap.of(cache, Codecs.LONG, Codecs.STRING).put(3L, "is there after a close");
        }
        try (KVStore store = new KVStore(directory, buffered)) {
            assertEquals(List.of(1L, 2L), List.copyOf(names(store).keySet()));
            assertEquals(1, store.table("app", "cache").count(KeyRange.all()));
        }
    }

    /** A batch has the changes that are not committed yet. To discard them is to forget the batch. */
    @Test
    void commit_and_discard() {
        try (KVStore store = KVStore.inMemory()) {
            TableMap<Long, String> names = names(store);
            WriteBatch batch = new WriteBatch();
            batch.put(table(store), Codecs.LONG.encode(1L), Codecs.STRING.encode("one"));
            batch.put(table(store), Codecs.LONG.encode(2L), Codecs.STRING.encode("two"));
            assertTrue(names.isEmpty());
            store.write(batch);
            assertEquals(Map.of(1L, "one", 2L, "two"), names);
        }
    }

    /** The whole batch fails if a value that was read has changed since. */
    @Test
    void commit_if_nothing_came_between() {
        try (KVStore store = KVStore.inMemory()) {
            TableMap<Long, String> names = names(store);
            names.put(1L, "one");
            byte[] key = Codecs.LONG.encode(1L);
            WriteBatch batch = new WriteBatch()
                    .check(table(store), new Condition.ValueIs(key, Codecs.STRING.encode("one")))
                    .remove(table(store), key);
            names.put(1L, "changed");
            assertThrows(ConditionFailedException.class, () -> store.write(batch));
            assertFalse(names.replace(1L, "one", "uno"));
            assertEquals(Map.of(1L, "changed"), names);
        }
    }

    @Test
    void a_value_is_changed_in_its_place() {
        try (KVStore store = KVStore.inMemory()) {
            TableMap<Long, String> names = names(store);
            names.put(1L, "one");
            names.compute(1L, (key, name) -> name + "!");
            assertEquals("one!?", names.merge(1L, "?", String::concat));
            byte[] key = Codecs.LONG.encode(1L);
            table(store).patch(key, 0, "two and".getBytes(UTF_8)); // longer than before
            table(store).append(key, " three".getBytes(UTF_8));
            assertEquals("two and three", names.get(1L));
            names.entrySet().iterator().next().setValue("2");
            assertEquals("2", names.get(1L));
            table(store).update(key, value -> value == null ? null : "4".getBytes(UTF_8));
            assertEquals("4", names.get(1L));
        }
    }

    record Point(int x, int y) {}

    @Test
    void a_type_of_ones_own() {
        Codec<Point> points = Codec.of(
                point -> ByteBuffer.allocate(8)
                        .putInt(point.x())
                        .putInt(point.y())
                        .array(),
                bytes -> new Point(
                        ByteBuffer.wrap(bytes).getInt(), ByteBuffer.wrap(bytes).getInt(4)),
                null);
        try (KVStore store = KVStore.inMemory()) {
            store.createDatabaseIfAbsent("app");
            TableMap<String, Point> map =
                    TableMap.of(store.tableOrCreate("app", "points", engine), Codecs.STRING, points);
            map.put("here", new Point(3, -4));
            assertEquals(new Point(3, -4), map.get("here"));
        }
    }

    /** No lock is needed, and readers do not wait. */
    @Test
    void threads_share_a_map() {
        try (KVStore store = KVStore.inMemory()) {
            TableMap<Long, String> names = names(store);
            IntStream.range(0, 2_000).parallel().forEach(i -> names.merge(i % 10L, "x", String::concat));
            assertEquals(10, names.size());
            names.values().forEach(name -> assertEquals("x".repeat(200), name));
        }
    }

    /** In the order of keys, in both directions; the walk may remove and change what it sees. */
    @Test
    void a_walk_in_order() {
        try (KVStore store = KVStore.inMemory()) {
            TableMap<Long, String> names = names(store);
            for (long key : new long[] {3, -1, 2}) {
                names.put(key, "n" + key);
            }
            assertEquals(List.of(-1L, 2L, 3L), List.copyOf(names.keySet()));
            assertEquals(
                    List.of("n3", "n2"),
                    List.copyOf(names.tailMap(0L).descendingMap().values()));
            names.entrySet().removeIf(entry -> entry.getKey() < 0);
            names.replaceAll((key, name) -> name + "!");
            assertEquals(Map.of(2L, "n2!", 3L, "n3!"), names);
        }
    }
}
