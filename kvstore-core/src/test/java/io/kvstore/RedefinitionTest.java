package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.engine.Progress;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import io.kvstore.io.Storage;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Other names and parameters where something is not as usual. The rest is in the contract of the engines. */
final class RedefinitionTest {

    private final SimStorage disk = new SimStorage();

    @TempDir
    private Path temp;

    /** Of the storage, that both changes need. */
    private long operations;

    private static KVStore open(Storage storage) {
        return new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(storage));
    }

    private static Table table(KVStore store) {
        store.createDB("db");
        Table table = store.createTable("db", "old", "MODEL");
        table.put("k", new byte[100]);
        return table;
    }

    private static Properties of(String name, String value) {
        Properties properties = new Properties();
        properties.putAll(Map.of(name, value));
        return properties;
    }

    @Test
    void a_store_in_memory_and_a_temporary_table_have_no_labels() throws IOException {
        try (KVStore store = KVStore.inMemory()) {
            Table table = table(store);
            assertEquals("new", store.renameTable("db", "old", "new").name());
            table.alter(of("MAX_VALUE_BYTES", "100"));
            assertEquals(100, table.maxValueBytes());
            assertEquals(List.of("new"), store.tables("db"));
        }
        try (KVStore store = open(disk)) {
            store.createDB("db");
            Table table = store.createTable("db", "old", "MODEL", of("TEMPORARY", "true"));
            store.renameTable("db", "old", "new");
            table.alter(of("MAX_VALUE_BYTES", "100"));
            assertEquals(100, store.table("db", "new").maxValueBytes());
            assertTrue(disk.files().stream().noneMatch(file -> file.endsWith("LABEL")));
        }
        try (KVStore store = open(disk)) {
            assertEquals(List.of(), store.tables("db"));
        }
    }

    /** So that a sound table can have its name. */
    @Test
    void a_table_that_cannot_be_opened_can_be_renamed_and_not_altered() throws IOException {
        try (KVStore store = open(disk)) {
            table(store);
        }
        disk.deleteTree("tables/0000000001");
        for (int i = 0; i < 2; i++) {
            try (KVStore store = open(disk)) {
                String name = i == 0 ? "old" : "new";
                assertThrows(
                        CorruptionException.class, () -> store.table("db", name).alter(of("DURABILITY", "SYNC")));
                assertEquals("new", store.renameTable("db", name, "new").name());
                assertThrows(CorruptionException.class, () -> store.get("db", "new", "k"));
            }
        }
        try (KVStore store = open(disk)) {
            store.createTable("db", "old", "MODEL").put("k", new byte[1]);
            store.dropTable("db", "new");
            assertEquals(List.of("old"), store.tables("db"));
        }
    }

    private static KVStore openStepped(Storage storage) {
        StepClock clock = new StepClock();
        KVStoreOptions options = KVStoreOptions.defaults()
                .withStorage(storage)
                .withClock(clock)
                .withBackground(new StepBackground(clock));
        return new KVStore(Path.of("unused"), options);
    }

    /** Whether both changes were made, of whose operations one fails. An opening finds the old definition or the new one. */
    private boolean changesIn(SimStorage image, long failing) {
        FaultyStorage faulty = new FaultyStorage(image);
        boolean renamed = false;
        boolean altered = false;
        try (KVStore store = openStepped(faulty)) {
            faulty.arm(FaultPlan.ioError(failing));
            renamed = store.renameTable("db", "old", "new").name().equals("new");
            altered = store.table("db", "new")
                    .alter(of("MAX_VALUE_BYTES", "100"))
                    .asMap()
                    .containsKey("DURABILITY");
            operations = faulty.counted();
            faulty.disarm();
        } catch (KVStoreException e) {
            // the check below says what may have happened
        }
        try (KVStore again = openStepped(image)) {
            String name = again.tables("db").getFirst();
            assertTrue(name.equals("new") || (name.equals("old") && !renamed), name);
            long limit = again.table("db", name).maxValueBytes();
            assertTrue(limit == 100 || !altered, limit + " bytes");
            assertArrayEquals(new byte[100], again.get("db", name, "k"));
            assertEquals("next", again.renameTable("db", name, "next").name());
            assertEquals(0, again.verify().total());
        }
        return altered;
    }

    @Test
    void a_failure_of_any_step_leaves_the_old_definition_or_the_new_one() {
        try (KVStore store = openStepped(disk)) {
            table(store);
        }
        assertTrue(changesIn(disk.crash(new CrashChoice.KeepAll()), Long.MAX_VALUE));
        long all = operations;
        int failed = 0;
        for (int at = 0; at < all; at++) {
            failed += changesIn(disk.crash(new CrashChoice.KeepAll()), at) ? 0 : 1;
        }
        assertTrue(failed >= 8 && failed < all, failed + " of " + all + " failed");
    }

    @Test
    void nothing_is_written_where_nothing_changes() {
        try (KVStore store = openStepped(disk)) {
            Table table = table(store);
            table.alter(of("MAX_VALUE_BYTES", "100"));
            long before = disk.operations();
            assertEquals("old", store.renameTable("db", "old", "old").name());
            table.alter(new Properties());
            table.alter(of("MAX_VALUE_BYTES", "100"));
            table.alter(of("ENABLE_WAL", "true"));
            assertEquals(before, disk.operations());
            table.alter(of("MAX_VALUE_BYTES", "101"));
            assertTrue(disk.operations() > before);
        }
    }

    @Test
    void what_is_written_after_a_change_to_sync_is_durable() {
        try (KVStore store = open(disk)) {
            Table table = table(store);
            table.alter(of("DURABILITY", "BUFFERED"));
            long before = store.stats().log().syncs();
            for (int i = 0; i < 100; i++) {
                table.put("k" + i, new byte[1]);
            }
            assertTrue(store.stats().log().syncs() - before < 50, "not each write is synced");
            table.alter(of("DURABILITY", "SYNC"));
            table.put("last", new byte[1]);
            try (KVStore after = open(disk.crash(new CrashChoice.DropAll()))) {
                assertEquals(102, after.table("db", "old").count(KeyRange.all()));
            }
        }
    }

    /** A table that has the name that another one had first, and a value that is longer than its table takes by now. */
    @Test
    void names_and_long_values_come_back_without_the_catalog() throws IOException {
        Path damaged = temp.resolve("damaged");
        try (KVStore store = new KVStore(damaged.toFile())) {
            Table table = table(store);
            table.alter(of("MAX_VALUE_BYTES", "99"));
            store.renameTable("db", "old", "new");
            store.createTable("db", "old", "MODEL").put("k", new byte[7]);
        }
        Files.write(damaged.resolve("CATALOG"), new byte[100]);
        Path whole = temp.resolve("whole");
        SalvageReport report = Salvage.run(damaged, whole, Progress.NONE);
        assertEquals(2, report.tables().size());
        try (KVStore store = new KVStore(whole.toFile())) {
            assertArrayEquals(new byte[100], store.get("db", "new", "k"));
            assertArrayEquals(new byte[7], store.get("db", "old", "k"));
            assertEquals(99, store.table("db", "new").maxValueBytes());
        }
    }
}
