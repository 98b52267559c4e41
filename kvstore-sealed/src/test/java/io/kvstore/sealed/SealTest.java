package io.kvstore.sealed;

import static java.util.Objects.requireNonNull;
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
import io.kvstore.data.EntryVisitor;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.error.TableDroppedException;
import io.kvstore.io.Storage;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables of other engines that become sealed ones, and sealed tables that get the entries of others. */
final class SealTest {

    private static final int ENTRIES = 100;
    private static final TableFileSettings SETTINGS = TableFileSettings.USUAL.withSortMemoryBytes(1 << 20);

    private final SimStorage disk = new SimStorage();

    private static KVStore open(Storage storage) {
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withMemoryBytes(32 << 20)
                        .withWalSegmentBytes(256 << 10)
                        .withStorage(storage));
    }

    private static Table table(KVStore store, String engine) {
        store.createDatabaseIfAbsent("db");
        Properties properties = new Properties();
        properties.setProperty("MAX_VALUE_BYTES", "1000");
        properties.setProperty("DURABILITY", "BUFFERED");
        Table table = store.createTable("db", "t", engine, properties);
        for (int i = 0; i < ENTRIES; i++) {
            table.put(key(i), value(i));
        }
        for (int i = 0; i < ENTRIES; i += 10) {
            table.remove(key(i));
        }
        return table;
    }

    private static String key(int number) {
        return String.format(Locale.ROOT, "key %06d", number);
    }

    private static byte[] value(int number) {
        return ("value " + number).getBytes(StandardCharsets.UTF_8);
    }

    private static void requireEntries(Table table) {
        for (int i = 0; i < ENTRIES; i++) {
            if (i % 10 == 0) {
                assertNull(table.get(key(i)));
            } else {
                assertArrayEquals(value(i), table.get(key(i)));
            }
        }
        assertEquals(ENTRIES * 9 / 10, table.count(KeyRange.all()));
        assertEquals(List.of(), table.verify().kept());
    }

    @ParameterizedTest
    @ValueSource(strings = {"MODEL", "UNORDERED_MODEL"})
    void a_table_becomes_a_sealed_one_with_its_entries(String engine) throws IOException {
        try (KVStore store = open(disk)) {
            Table table = table(store, engine);
            try (Snapshot before = store.snapshot()) {
                Table sealed = table.seal(SETTINGS, Progress.NONE);
                requireEntries(sealed);
                assertEquals("SEALED", sealed.engineName());
                assertTrue(sealed.isOrdered());
                assertEquals("1000", sealed.properties().text("MAX_VALUE_BYTES"));
                assertEquals("BUFFERED", sealed.properties().text("DURABILITY"));
                assertArrayEquals(value(7), before.get(table, key(7).getBytes(StandardCharsets.UTF_8)));
                assertThrows(TableDroppedException.class, () -> table.get(key(7)));
                assertThrows(TableDroppedException.class, () -> table.put(key(7), value(7)));
                assertThrows(InvalidRequestException.class, () -> sealed.put(key(7), value(7)));
                assertEquals(sealed.id(), store.table("db", "t").id());
            }
            InvalidRequestException again = assertThrows(
                    InvalidRequestException.class, () -> store.table("db", "t").seal(SETTINGS, Progress.NONE));
            assertEquals("table t is a SEALED table already, which has one file", again.getMessage());
        }
        try (KVStore store = open(disk)) {
            requireEntries(store.table("db", "t"));
            assertEquals("SEALED", store.table("db", "t").engineName());
            assertEquals(1, disk.list("tables").size());
        }
        assertEquals(0, disk.openResources());
    }

    @Test
    void a_write_meanwhile_is_not_lost() throws IOException {
        try (KVStore store = open(disk)) {
            Table table = table(store, "MODEL");
            ConditionFailedException refused = assertThrows(
                    ConditionFailedException.class,
                    () -> table.seal(SETTINGS, (_, _) -> {
                        table.put("late", value(1));
                        return true;
                    }));
            assertTrue(requireNonNull(refused.getMessage()).contains("was written meanwhile"), refused.getMessage());
            assertArrayEquals(value(1), table.get("late"));
            table.remove("late");
            requireEntries(table);
            requireEntries(table.seal(SETTINGS, Progress.NONE));
        }
        assertEquals(0, disk.openResources());
    }

    @Test
    void a_truncate_meanwhile_is_not_undone() {
        try (KVStore store = open(disk)) {
            Table table = table(store, "MODEL");
            assertThrows(
                    ConditionFailedException.class,
                    () -> table.seal(SETTINGS, (_, _) -> {
                        table.truncate();
                        return true;
                    }));
            assertEquals(0, table.count(KeyRange.all()));
        }
    }

    @Test
    void a_drop_meanwhile_stays() {
        try (KVStore store = open(disk)) {
            Table table = table(store, "MODEL");
            assertThrows(
                    TableDroppedException.class,
                    () -> table.seal(SETTINGS, (_, _) -> {
                        store.dropTable("db", "t");
                        return true;
                    }));
            assertEquals(List.of(), store.tables("db"));
        }
    }

    @Test
    void work_that_is_stopped_changes_nothing() throws IOException {
        try (KVStore store = open(disk)) {
            Table table = table(store, "MODEL");
            assertThrows(InvalidRequestException.class, () -> table.seal(SETTINGS, (_, _) -> false));
            assertEquals(1, disk.list("tables").size());
            requireEntries(table);
            table.put("more", value(1));
        }
    }

    /** To read the entries of a long table takes the most time. */
    @Test
    void work_is_stopped_while_entries_are_read() throws IOException {
        try (KVStore store = open(disk)) {
            Table table = table(store, "MODEL");
            for (int i = ENTRIES; i < 25_000; i++) {
                table.put(key(i), value(i));
            }
            List<Long> told = new ArrayList<>();
            InvalidRequestException stopped = assertThrows(
                    InvalidRequestException.class,
                    () -> table.seal(SETTINGS, (done, all) -> {
                        assertEquals(0, done);
                        told.add(all);
                        return told.size() < 2;
                    }));
            assertEquals(List.of(10_000L, 20_000L), told);
            assertEquals(
                    "the build was stopped after 20000 entries were read; nothing has changed", stopped.getMessage());
            assertEquals(1, disk.list("tables").size());
            assertEquals("MODEL", store.table("db", "t").engineName());
            table.put("more", value(1));
        }
        assertEquals(0, disk.openResources());
    }

    @ParameterizedTest
    @ValueSource(strings = {"MODEL", "UNORDERED_MODEL"})
    void a_sealed_table_is_filled_again_and_again(String engine) {
        try (KVStore store = open(disk)) {
            Table source = table(store, engine);
            Table copy = store.createTable("db", "copy", "SEALED");
            try (Snapshot snapshot = store.snapshot()) {
                source.put("later", value(1));
                assertEquals(
                        ENTRIES * 9 / 10,
                        copy.files().fill(snapshot.scan(source, KeyRange.all())).entries());
                requireEntries(copy);
            }
            try (Cursor all = source.scan(KeyRange.all())) {
                assertEquals(
                        ENTRIES * 9 / 10 + 1,
                        copy.files().fill(all, SETTINGS, Progress.NONE).entries());
            }
            assertArrayEquals(value(1), copy.get("later"));
            try (Cursor none = source.scan(KeyRange.all())) {
                while (none.next()) {
                    // to the end
                }
                assertEquals(0, copy.files().fill(none).entries());
            }
            assertEquals(0, copy.count(KeyRange.all()));
        }
    }

    @Test
    void a_value_that_is_too_long_for_the_table_is_refused() {
        try (KVStore store = open(disk)) {
            Table source = table(store, "MODEL");
            source.put("long", new byte[1000]);
            for (int limit : new int[] {999, 1000, 1001}) {
                Properties properties = new Properties();
                properties.setProperty("MAX_VALUE_BYTES", Integer.toString(limit));
                Table copy = store.createTable("db", "copy" + limit, "SEALED", properties);
                try (Cursor all = source.scan(KeyRange.all())) {
                    if (limit < 1000) {
                        assertThrows(
                                InvalidRequestException.class,
                                () -> copy.files().fill(all));
                    } else {
                        assertEquals(
                                ENTRIES * 9 / 10 + 1, copy.files().fill(all).entries());
                    }
                }
            }
        }
    }

    /** The cursor is code of the user, which runs outside of any call of the store. */
    @Test
    void a_store_that_is_closed_meanwhile_is_closed_whole() throws IOException {
        KVStore store = open(disk);
        Table copy;
        try (store) {
            table(store, "MODEL");
            copy = store.createTable("db", "copy", "SEALED");
            assertThrows(StoreClosedException.class, () -> copy.files().fill(new ClosingCursor(store)));
        }
        assertEquals(0, disk.openResources());
        try (KVStore again = open(disk)) {
            assertEquals(0, again.table("db", "copy").count(KeyRange.all()));
            requireEntries(again.table("db", "t"));
            assertEquals(2, disk.list("tables").size());
        }
    }

    private static final class ClosingCursor implements Cursor {

        private final KVStore store;
        private int count;

        ClosingCursor(KVStore store) {
            this.store = store;
        }

        @Override
        public boolean next() {
            if (++count == 5) {
                store.close();
            }
            return true;
        }

        @Override
        public byte[] key() {
            return key0(count);
        }

        private static byte[] key0(int number) {
            return SealTest.key(number).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public byte[] value() {
            return SealTest.value(count);
        }

        @Override
        public void visit(EntryVisitor visitor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            // it has nothing
        }
    }

    /** After a crash there is the table or the sealed table, whole, and nothing else is left. */
    @Test
    void power_cut_at_every_operation() throws IOException {
        List<SimStorage> crashed = new ArrayList<>();
        try (KVStore store = open(disk)) {
            Table table = table(store, "MODEL");
            store.checkpoint();
            disk.observe(() -> {
                for (CrashChoice choice : CrashChoice.enumerate(disk.pendingOperations(), 1, disk.operations())) {
                    crashed.add(disk.crash(choice));
                }
                crashed.add(disk.kill());
            });
            table.seal(SETTINGS, Progress.NONE);
            disk.observe(() -> {});
        }
        assertTrue(crashed.size() > 50, crashed.size() + " crashes");
        int sealed = 0;
        for (SimStorage left : crashed) {
            try (KVStore store = open(left)) {
                Table table = store.table("db", "t");
                sealed += table.engineName().equals("SEALED") ? 1 : 0;
                assertEquals(List.of(), table.verify().kept());
                assertEquals(1, left.list("tables").size());
                if (table.engineName().equals("SEALED")) {
                    requireEntries(table);
                }
            }
            assertEquals(0, left.openResources());
        }
        assertTrue(sealed > 0 && sealed < crashed.size(), sealed + " sealed of " + crashed.size());
    }

    @Test
    void any_operation_fails_once() throws IOException {
        int failures = 0;
        boolean hasFailed = true;
        for (long at = 0; hasFailed; at++) {
            SimStorage storage = new SimStorage();
            FaultyStorage faulty = new FaultyStorage(storage);
            boolean isDone = false;
            try (KVStore store = open(faulty)) {
                Table table = table(store, "MODEL");
                store.checkpoint();
                var before = faulty.failures();
                faulty.arm(FaultPlan.ioError(at));
                try {
                    table.seal(SETTINGS, Progress.NONE);
                    isDone = true;
                } catch (KVStoreException e) {
                    failures++;
                }
                faulty.disarm();
                hasFailed = !faulty.failures().equals(before);
            }
            try (KVStore store = open(storage)) {
                Table table = store.table("db", "t");
                assertTrue(!isDone || table.engineName().equals("SEALED"), table.engineName());
                requireEntries(table);
                assertEquals(1, storage.list("tables").size());
            }
        }
        assertTrue(failures > 10, failures + " failures");
    }
}
