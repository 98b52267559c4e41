package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.NotFoundException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.error.StoreLockedException;
import io.kvstore.error.TableDroppedException;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The operations of a store, over the engine of the test kit. */
final class KVStoreTest {

    private final SimStorage disk = new SimStorage();

    private static KVStoreOptions options(SimStorage disk, Durability durability) {
        StepClock clock = new StepClock();
        return KVStoreOptions.defaults()
                .withStorage(disk)
                .withClock(clock)
                .withBackground(new StepBackground(clock))
                .withDurability(durability)
                .withWalSegmentBytes(64 << 10)
                .withCheckpointLogBytes(256 << 10)
                .withMemoryBytes(64 << 20);
    }

    private static KVStore open(SimStorage disk, Durability durability) {
        return new KVStore(Path.of("unused"), options(disk, durability));
    }

    private KVStore open() {
        return open(disk, Durability.SYNC);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Table newTable(KVStore store) {
        store.createDB("db");
        return store.createTable("db", "t", "model");
    }

    @Test
    void puts_gets_and_removes() {
        try (KVStore store = open()) {
            newTable(store);
            store.put("db", "t", "key1", bytes("value1"));
            assertArrayEquals(bytes("value1"), store.get("db", "t", "key1"));
            assertNull(store.get("db", "t", "key2"));
            store.remove("db", "t", "key1");
            assertNull(store.get("db", "t", "key1"));
        }
        assertEquals(0, disk.openResources());
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void everything_is_there_after_closing_and_opening(Durability durability) {
        try (KVStore store = open(disk, durability)) {
            Table table = newTable(store);
            for (int i = 0; i < 1_000; i++) {
                table.put("k" + i, new byte[i % 300]);
            }
        }
        for (int round = 0; round < 3; round++) {
            try (KVStore store = open(disk, durability)) {
                assertEquals(1_000, store.table("db", "t").count(KeyRange.all()));
            }
        }
        assertEquals(0, disk.openResources());
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void acknowledged_writes_survive_a_kill(Durability durability) {
        KVStore store = open(disk, durability);
        Table table = newTable(store);
        for (int i = 0; i < 2_000; i++) {
            table.put("k" + i, new byte[i % 300]);
        }
        table.remove("k7");
        SimStorage killed = disk.kill();
        try (KVStore again = open(killed, durability)) {
            assertEquals(1_999, again.table("db", "t").count(KeyRange.all()));
            assertTrue(again.recovery().applied() > 0);
        }
        try (KVStore again = open(killed, durability)) {
            assertEquals(1_999, again.table("db", "t").count(KeyRange.all()));
        }
        store.close();
    }

    @Test
    void conditions_hold_or_change_nothing() {
        try (KVStore store = open()) {
            Table table = newTable(store);
            byte[] key = bytes("k");
            assertTrue(table.putIfAbsent(key, bytes("1")));
            assertFalse(table.putIfAbsent(key, bytes("2")));
            assertFalse(table.replace(key, bytes("9"), bytes("2")));
            assertTrue(table.replace(key, bytes("1"), bytes("2")));
            assertFalse(table.remove(key, bytes("1")));
            assertTrue(table.remove(key, bytes("2")));
            WriteBatch batch = new WriteBatch()
                    .put(table, "a", bytes("1"))
                    .check(table, new Condition.Absent(bytes("a")))
                    .check(table, new Condition.Exists(bytes("b")));
            assertEquals(
                    1,
                    assertThrows(ConditionFailedException.class, () -> store.write(batch))
                            .index());
            assertNull(table.get("a"));
        }
    }

    @Test
    void a_snapshot_sees_whole_batches_of_its_moment() {
        try (KVStore store = open()) {
            Table one = newTable(store);
            Table two = store.createTable("db", "u", "MODEL");
            store.write(new WriteBatch().put(one, "k", bytes("1")).put(two, "k", bytes("1")));
            try (Snapshot snapshot = store.snapshot()) {
                store.write(new WriteBatch().put(one, "k", bytes("2")).put(two, "k", bytes("2")));
                one.truncate();
                assertArrayEquals(bytes("1"), snapshot.get(one, bytes("k")));
                assertArrayEquals(bytes("1"), snapshot.get(two, bytes("k")));
                assertNull(one.get("k"));
                store.dropTable("db", "t");
                assertArrayEquals(bytes("1"), snapshot.get(one, bytes("k")));
            }
            assertThrows(TableDroppedException.class, () -> one.get("k"));
            assertArrayEquals(bytes("2"), two.get("k"));
        }
        assertEquals(0, disk.openResources());
    }

    @Test
    void scans_count_and_stream() {
        try (KVStore store = open()) {
            Table table = newTable(store);
            for (int i = 0; i < 10; i++) {
                table.put("k" + i, bytes("v" + i));
            }
            assertEquals(4, table.count(KeyRange.between(bytes("k2"), bytes("k6"))));
            try (Stream<Entry> entries =
                    table.stream(KeyRange.prefix(bytes("k")).reverse().limit(2))) {
                assertEquals(
                        List.of(new Entry(bytes("k9"), bytes("v9")), new Entry(bytes("k8"), bytes("v8"))),
                        entries.toList());
            }
            List<byte @Nullable []> values = table.getAll(Keys.of("k1", "none", "k3"));
            assertArrayEquals(bytes("v1"), values.get(0));
            assertNull(values.get(1));
            assertArrayEquals(bytes("v3"), values.get(2));
        }
    }

    @Test
    void names_and_databases_are_checked() {
        try (KVStore store = open()) {
            for (String bad : List.of("", ".x", "a/b", "../x", "a b", "\u00e9", "x".repeat(65))) {
                assertThrows(InvalidRequestException.class, () -> store.createDB(bad), bad);
            }
            store.createDB("x".repeat(64));
            store.createDB("db");
            assertThrows(AlreadyExistsException.class, () -> store.createDB("db"));
            assertThrows(NotFoundException.class, () -> store.table("db", "t"));
            assertThrows(NotFoundException.class, () -> store.tables("none"));
            store.createTable("db", "t", "model");
            assertThrows(AlreadyExistsException.class, () -> store.dropDB("db"));
            assertThrows(InvalidRequestException.class, () -> store.createTable("db", "u", "nosuch"));
            Properties unknown = new Properties();
            unknown.put("NO_SUCH", 1);
            assertThrows(InvalidRequestException.class, () -> store.createTable("db", "u", "model", unknown));
            assertEquals(List.of("t"), store.tables("db"));
            store.dropTable("db", "t");
            store.dropDB("db");
            assertEquals(List.of("x".repeat(64)), store.databases());
        }
    }

    @Test
    void keys_and_values_have_limits() {
        Properties small = new Properties();
        small.put(TableConfParamsEnum.MAX_VALUE_BYTES, 10);
        try (KVStore store = open()) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "model", small);
            table.put(new byte[65_535], new byte[10]);
            assertNotNull(table.get(new byte[65_535]));
            assertThrows(InvalidRequestException.class, () -> table.put(new byte[65_536], new byte[1]));
            assertThrows(InvalidRequestException.class, () -> table.put(new byte[1], new byte[11]));
            assertThrows(InvalidRequestException.class, () -> table.put("\ud800", new byte[1]));
            table.put(new byte[0], new byte[0]);
            assertArrayEquals(new byte[0], table.get(new byte[0]));
        }
    }

    @Test
    void a_table_without_log_goes_back_to_its_checkpoint() {
        Properties off = new Properties();
        off.put("ENABLE_WAL", false);
        KVStore store = open();
        store.createDB("db");
        Table table = store.createTable("db", "t", "model", off);
        Table logged = store.createTable("db", "u", "model");
        table.put("a", bytes("1"));
        store.checkpoint();
        table.put("b", bytes("2"));
        assertThrows(
                InvalidRequestException.class,
                () -> store.write(new WriteBatch().put(table, "x", bytes("1")).put(logged, "x", bytes("1"))));
        assertThrows(InvalidRequestException.class, () -> table.put(bytes("x"), bytes("1"), Durability.SYNC));
        try (KVStore again = open(disk.kill(), Durability.SYNC)) {
            assertArrayEquals(bytes("1"), again.get("db", "t", "a"));
            assertNull(again.get("db", "t", "b"));
        }
        store.close();
    }

    @Test
    void a_closed_store_says_so_and_closes_what_was_open() {
        KVStore store = open();
        Table table = newTable(store);
        table.put("a", bytes("1"));
        Snapshot snapshot = store.snapshot();
        Cursor cursor = table.scan(KeyRange.all());
        store.close();
        store.close();
        assertThrows(StoreClosedException.class, () -> table.get("a"));
        assertThrows(StoreClosedException.class, () -> table.put("a", bytes("1")));
        assertThrows(StoreClosedException.class, store::databases);
        assertThrows(StoreClosedException.class, cursor::next);
        assertThrows(StoreClosedException.class, () -> snapshot.get(table, bytes("a")));
        cursor.close();
        snapshot.close();
        assertEquals(0, disk.openResources());
    }

    @Test
    void a_read_only_store_recovers_and_writes_nothing() {
        KVStore store = open();
        newTable(store).put("a", bytes("1"));
        SimStorage killed = disk.kill();
        KVStoreOptions readOnly = options(killed, Durability.SYNC).withReadOnly(true);
        List<String> before = killed.files();
        try (KVStore reader = new KVStore(Path.of("unused"), readOnly)) {
            assertArrayEquals(bytes("1"), reader.get("db", "t", "a"));
            assertThrows(InvalidRequestException.class, () -> reader.put("db", "t", "a", bytes("2")));
            assertThrows(InvalidRequestException.class, () -> reader.createDB("x"));
        }
        assertEquals(before, killed.files());
        store.close();
    }

    @Test
    void a_directory_is_open_once(@TempDir Path directory) {
        try (KVStore store = new KVStore(directory.toFile())) {
            newTable(store).put("a", bytes("1"));
            assertThrows(StoreLockedException.class, () -> new KVStore(directory.toFile()));
        }
        try (KVStore store = new KVStore(directory.toFile())) {
            assertArrayEquals(bytes("1"), store.get("db", "t", "a"));
        }
    }

    @Test
    void read_only_creates_nothing(@TempDir Path directory) {
        Path missing = directory.resolve("missing");
        KVStoreOptions readOnly = KVStoreOptions.defaults().withReadOnly(true);
        assertThrows(InvalidRequestException.class, () -> new KVStore(missing, readOnly));
        assertFalse(Files.exists(missing));
    }

    @Test
    void a_foreign_directory_is_left_alone(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("notes.txt"), "mine");
        assertThrows(InvalidRequestException.class, () -> new KVStore(directory.toFile()));
        assertEquals("mine", Files.readString(directory.resolve("notes.txt")));
        assertEquals(1, directory.toFile().list().length, "nothing is added to it");
    }
}
