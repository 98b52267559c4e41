package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.catalog.TableLabel;
import io.kvstore.data.KeyRange;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.NotFoundException;
import io.kvstore.error.TableDroppedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Tables of one engine get other names and other parameters while they are used. */
public abstract class RedefinitionContract {

    private static final int ENTRIES = 500;
    private static final int ROUNDS = 60;

    private final SimStorage disk = new SimStorage();

    /** Of the tables. */
    protected abstract String engine();

    /** Parameters of a table. */
    protected abstract Properties properties();

    /** Parameters of the engine that may change, and other values of them. */
    protected abstract Map<String, String> online();

    /** Parameters that stay as long as a table lives, and other values of them. */
    protected Map<String, String> fixed() {
        return Map.of("ENABLE_WAL", "false", "VALUE_THRESHOLD_BYTES", "77", "TEMPORARY", "true");
    }

    private static KVStore open(SimStorage storage, boolean readOnly) {
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(storage)
                        .withMemoryBytes(32 << 20)
                        .withWalSegmentBytes(256 << 10)
                        .withReadOnly(readOnly));
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int number) {
        byte[] value = new byte[8 + number % 600];
        ByteBuffer.wrap(value).putInt(number);
        return value;
    }

    private Table fill(KVStore store) {
        store.createDB("db");
        Table table = store.createTable("db", "old", engine(), properties());
        for (int i = 0; i < ENTRIES; i++) {
            table.put(key(i), value(i));
        }
        return table;
    }

    private static void check(Table table) {
        assertEquals(ENTRIES, table.count(KeyRange.all()));
        for (int i = 0; i < ENTRIES; i++) {
            assertArrayEquals(value(i), table.get(key(i)));
        }
    }

    private static String refusal(Executable call) {
        return String.valueOf(assertThrows(InvalidRequestException.class, call).getMessage());
    }

    private static Properties of(Map<String, String> parameters) {
        Properties properties = new Properties();
        properties.putAll(parameters);
        return properties;
    }

    /** What a test changes: the parameters of the engine, and those of every table. */
    private Map<String, String> changes() {
        Map<String, String> all = new TreeMap<>(online());
        all.put("DURABILITY", "BUFFERED");
        all.put("MAX_VALUE_BYTES", "5000");
        return all;
    }

    private void checkChanged(Table table) {
        changes()
                .forEach((name, value) -> assertEquals(value, table.properties().text(name), name));
        assertEquals(5_000, table.maxValueBytes());
        table.put(key(-1), new byte[4_999]);
        table.put(key(-1), new byte[5_000]);
        String message = refusal(() -> table.put(key(-1), new byte[5_001]));
        assertTrue(message.contains("5000"), message);
        table.remove(key(-1));
    }

    @Test
    void a_renamed_table_goes_on_with_all_that_is_open() {
        try (KVStore store = open(disk, false)) {
            Table table = fill(store);
            WriteBatch batch =
                    new WriteBatch().put(table, key(ENTRIES), value(0)).remove(table, key(ENTRIES));
            try (Snapshot snapshot = store.snapshot();
                    Cursor cursor = table.scan(KeyRange.all())) {
                assertTrue(cursor.next());
                Table renamed = store.renameTable("db", "old", "new");
                assertEquals("new", renamed.name());
                assertEquals("new", table.name());
                assertEquals(table.id(), renamed.id());
                assertThrows(NotFoundException.class, () -> store.table("db", "old"));
                assertEquals(List.of("new"), store.tables("db"));
                assertTrue(store.write(batch) > 0);
                store.createTable("db", "old", engine(), properties()).put(key(1), key(1));
                int seen = 1;
                while (cursor.next()) {
                    seen++;
                }
                assertEquals(ENTRIES, seen);
                assertEquals(ENTRIES, snapshot.count(renamed, KeyRange.all()));
                check(store.table("db", "new"));
            }
            table.flush();
            assertEquals(0, table.verify().total());
            assertEquals(List.of("new", "old"), store.tables("db"));
            assertEquals(
                    List.of("new", "old"),
                    store.stats().tables().stream().map(one -> one.table()).toList());
        }
        try (KVStore store = open(disk, false)) {
            check(store.table("db", "new"));
            assertEquals(1, store.table("db", "old").count(KeyRange.all()));
            assertEquals(0, store.verify().total());
        }
    }

    @Test
    void a_name_that_cannot_be_given_changes_nothing() {
        String longest = "n".repeat(64);
        try (KVStore store = open(disk, false)) {
            fill(store);
            store.createTable("db", "other", engine(), properties());
            assertThrows(AlreadyExistsException.class, () -> store.renameTable("db", "old", "other"));
            assertThrows(NotFoundException.class, () -> store.renameTable("db", "none", "new"));
            assertThrows(NotFoundException.class, () -> store.renameTable("none", "old", "new"));
            assertThrows(InvalidRequestException.class, () -> store.renameTable("db", "old", ""));
            assertThrows(InvalidRequestException.class, () -> store.renameTable("db", "old", "n/n"));
            assertThrows(InvalidRequestException.class, () -> store.renameTable("db", "old", longest + "n"));
            assertEquals(List.of("old", "other"), store.tables("db"));
            assertEquals("old", store.renameTable("db", "old", "old").name());
            assertEquals(longest, store.renameTable("db", "old", longest).name());
        }
        try (KVStore store = open(disk, true)) {
            assertThrows(InvalidRequestException.class, () -> store.renameTable("db", longest, "new"));
            assertThrows(
                    InvalidRequestException.class,
                    () -> store.table("db", longest).alter(of(changes())));
            check(store.table("db", longest));
        }
    }

    @Test
    void parameters_change_at_once_and_for_good() {
        try (KVStore store = open(disk, false)) {
            Table table = fill(store);
            table.alter(of(changes()));
            checkChanged(table);
            check(table);
            table.alter(of(changes()));
            table.alter(new Properties());
            checkChanged(table);
            table.truncate();
            checkChanged(table);
            for (int i = 0; i < ENTRIES; i++) {
                table.put(key(i), value(i));
            }
            store.renameTable("db", "old", "new");
        }
        try (KVStore store = open(disk, false)) {
            Table table = store.table("db", "new");
            checkChanged(table);
            check(table);
            table.alter(properties());
            properties()
                    .forEach((name, value) ->
                            assertEquals(value.toString(), table.properties().text(name.toString())));
            check(table);
        }
    }

    @Test
    void what_cannot_change_is_refused_by_name_with_all_beside_it() {
        try (KVStore store = open(disk, false)) {
            Table table = fill(store);
            Map<String, String> before = table.properties().asMap();
            fixed().forEach((name, value) -> {
                Properties given = of(changes());
                given.put(name, value);
                String message = refusal(() -> table.alter(given));
                assertTrue(message.contains(name) && message.contains("kvstore export"), message);
                table.alter(of(Map.of(name, before.get(name)))); // the value that it has
            });
            Properties beyond = of(changes());
            beyond.put("MAX_VALUE_BYTES", KVStoreOptions.HARD_MAX_VALUE_BYTES + 1);
            String message = refusal(() -> table.alter(beyond));
            assertTrue(message.contains("MAX_VALUE_BYTES") && message.contains("1073741824"), message);
            assertThrows(InvalidRequestException.class, () -> table.alter(of(Map.of("NONE", "1"))));
            assertEquals(before, table.properties().asMap());
            table.alter(of(Map.of("MAX_VALUE_BYTES", "" + KVStoreOptions.HARD_MAX_VALUE_BYTES)));
            store.dropTable("db", "old");
            assertThrows(TableDroppedException.class, () -> table.alter(of(changes())));
        }
    }

    /** A power cut before each operation of the storage leaves the old definition or the new one, with all entries. */
    @Test
    void a_power_cut_leaves_the_old_definition_or_the_new_one() throws IOException {
        List<SimStorage> images = new ArrayList<>();
        KVStore store = open(disk, false);
        Table table = fill(store);
        disk.observe(() -> {
            images.add(disk.crash(new CrashChoice.DropAll()));
            images.add(disk.crash(new CrashChoice.KeepAll()));
            images.add(disk.crash(new CrashChoice.Random(images.size(), false)));
        });
        store.renameTable("db", "old", "new");
        int renaming = images.size();
        table.alter(of(changes()));
        disk.observe(() -> {});
        images.add(disk.crash(new CrashChoice.DropAll())); // after it was acknowledged
        store.close();
        int renamed = 0;
        int altered = 0;
        for (int i = 0; i < images.size(); i++) {
            try (KVStore after = open(images.get(i), false)) {
                String name = after.tables("db").getFirst();
                assertEquals(1, after.tables("db").size());
                assertTrue(name.equals("new") || (name.equals("old") && i < renaming), name);
                renamed += name.equals("new") ? 1 : 0;
                Table found = after.table("db", name);
                check(found);
                boolean isAltered = found.maxValueBytes() == 5_000;
                altered += isAltered ? 1 : 0;
                changes()
                        .forEach((parameter, value) -> assertEquals(
                                isAltered, value.equals(found.properties().text(parameter)), parameter));
                TableLabel label = TableLabel.read(images.get(i), "tables/0000000001");
                assertNotNull(label);
                assertEquals(name, label.table().name(), "an opening brings the label up to the catalog");
                assertEquals(found.properties(), label.table().properties());
            }
        }
        assertTrue(renaming > 6 && renamed > images.size() - renaming, renamed + " of " + images.size());
        assertTrue(altered >= 2 && altered < images.size() - renaming, altered + " of " + images.size());
        try (KVStore after = open(images.getLast(), false)) {
            checkChanged(after.table("db", "new"));
        }
    }

    @Test
    void writers_readers_and_listings_go_on_beside_changes() throws Exception {
        try (KVStore store = open(disk, false);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            Table table = fill(store);
            AtomicBoolean done = new AtomicBoolean();
            List<Future<Long>> others = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                byte[] own = key(ENTRIES + i);
                others.add(threads.submit(until(done, round -> writeAndRead(store, table, own, round))));
            }
            others.add(threads.submit(until(done, round -> lookByName(store))));
            others.add(threads.submit(until(done, round -> {
                try (Snapshot snapshot = store.snapshot()) {
                    assertTrue(snapshot.count(table, KeyRange.all()) >= ENTRIES);
                }
            })));
            try {
                for (int i = 0; i < ROUNDS; i++) {
                    store.renameTable("db", i % 2 == 0 ? "old" : "a", i % 2 == 0 ? "a" : "old");
                    table.alter(i % 2 == 0 ? of(changes()) : properties());
                    table.alter(of(Map.of("DURABILITY", i % 3 == 0 ? "SYNC" : "BUFFERED")));
                }
            } finally {
                done.set(true);
            }
            for (Future<Long> other : others) {
                assertTrue(get(other) > 0);
            }
            table.remove(key(ENTRIES));
            table.remove(key(ENTRIES + 1));
            check(table);
            assertEquals(0, store.verify().total());
        }
    }

    private static long get(Future<Long> future) throws Exception {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new AssertionError("beside the changes", e.getCause());
        }
    }

    @FunctionalInterface
    private interface Round {
        void run(int number);
    }

    private static Callable<Long> until(AtomicBoolean done, Round round) {
        return () -> {
            long rounds = 0;
            while (!done.get() || rounds == 0) {
                round.run((int) rounds++);
            }
            return rounds;
        };
    }

    /** Whatever is acknowledged is seen at once, by key and in a view that begins afterwards. */
    private static void writeAndRead(KVStore store, Table table, byte[] key, int round) {
        byte[] written = value(round);
        if (round % 2 == 0) {
            table.put(key, written);
        } else {
            store.write(new WriteBatch().put(table, key, written));
        }
        assertArrayEquals(written, table.get(key));
        try (Cursor cursor = table.scan(KeyRange.all().withoutValues())) {
            assertTrue(cursor.next());
        }
        byte[] seen = null;
        try (Cursor cursor = table.isOrdered()
                ? table.scan(KeyRange.all().from(key, true).to(key, true))
                : table.scan(KeyRange.all())) {
            while (cursor.next()) {
                seen = Arrays.equals(key, cursor.key()) ? cursor.value() : seen;
            }
        }
        assertArrayEquals(written, seen, "a view sees what was acknowledged before it");
    }

    /** The table is in every listing, under one name. A call by name finds it or not, and nothing else. */
    private static void lookByName(KVStore store) {
        List<String> names = store.tables("db");
        assertEquals(1, names.size(), names.toString());
        assertEquals(1, store.stats().tables().size());
        try {
            assertNotNull(store.get("db", names.getFirst(), key(1)));
            store.put("db", names.getFirst(), key(1), value(1));
        } catch (NotFoundException e) {
            assertTrue(String.valueOf(e.getMessage()).contains(names.getFirst()), e::toString);
        }
    }
}
