package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.SimStorage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Other names and parameters for sealed tables, and for tables that become sealed at that time. */
final class SealedRedefinitionTest {

    private static final int ENTRIES = 100;
    private static final TableFileSettings SETTINGS = TableFileSettings.USUAL.withSortMemoryBytes(1 << 20);

    private final SimStorage disk = new SimStorage();

    private static KVStore open(SimStorage storage) {
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withMemoryBytes(32 << 20)
                        .withWalSegmentBytes(256 << 10)
                        .withStorage(storage));
    }

    private static Table fill(KVStore store) {
        store.createDB("db");
        Table table = store.createTable("db", "model", "MODEL");
        for (int i = 0; i < ENTRIES; i++) {
            table.put("key " + i, new byte[i]);
        }
        return table;
    }

    private static Properties of(String name, String value) {
        Properties properties = new Properties();
        properties.putAll(Map.of(name, value));
        return properties;
    }

    private static void check(KVStore store, String name) {
        Table table = store.table("db", name);
        assertEquals("SEALED", table.engineName());
        assertEquals(name, table.name());
        assertEquals("BUFFERED", table.properties().text("DURABILITY"));
        assertEquals(1_000, table.maxValueBytes());
        assertEquals(ENTRIES, table.count(KeyRange.all()));
        assertEquals(0, table.verify().total());
    }

    private static Progress meanwhile(KVStore store, Table table, List<Long> told) {
        return (done, total) -> {
            if (told.isEmpty()) {
                store.renameTable("db", table.name(), "new");
                table.alter(of("DURABILITY", "BUFFERED"));
                table.alter(of("MAX_VALUE_BYTES", "1000"));
            }
            told.add(done);
            return true;
        };
    }

    @Test
    void a_table_that_becomes_sealed_takes_the_name_and_the_parameters_that_it_got_meanwhile() {
        try (KVStore store = open(disk)) {
            Table table = fill(store);
            List<Long> told = new ArrayList<>();
            Table sealed = table.seal(SETTINGS, meanwhile(store, table, told));
            assertTrue(told.size() >= 1);
            assertEquals("new", sealed.name());
            assertEquals(List.of("new"), store.tables("db"));
            check(store, "new");
            store.createTable("db", "model", "MODEL").put("k", new byte[1]);
        }
        try (KVStore store = open(disk)) {
            check(store, "new");
            assertEquals(1, store.table("db", "model").count(KeyRange.all()));
        }
    }

    @Test
    void a_file_that_was_begun_before_goes_to_the_table_by_its_new_name() {
        try (KVStore store = open(disk)) {
            Table model = fill(store);
            Table sealed = store.createTable("db", "sealed", "SEALED");
            List<Long> told = new ArrayList<>();
            try (Cursor cursor = model.scan(KeyRange.all())) {
                sealed.files().fill(cursor, SETTINGS, meanwhile(store, sealed, told));
            }
            assertTrue(told.size() >= 1);
            assertEquals(List.of("model", "new"), store.tables("db"));
            check(store, "new");
            sealed.alter(of("MAX_VALUE_BYTES", Integer.toString(ENTRIES - 2)));
            try (Cursor cursor = model.scan(KeyRange.all())) {
                assertThrows(InvalidRequestException.class, () -> sealed.files().fill(cursor));
            }
            sealed.alter(of("MAX_VALUE_BYTES", Integer.toString(ENTRIES - 1)));
            try (Cursor cursor = model.scan(KeyRange.all())) {
                sealed.files().fill(cursor);
            }
            sealed.alter(of("MAX_VALUE_BYTES", "1000"));
        }
        try (KVStore store = open(disk)) {
            check(store, "new");
        }
    }

    @Test
    void a_power_cut_leaves_the_old_name_or_the_new_one() {
        List<SimStorage> images = new ArrayList<>();
        try (KVStore store = open(disk)) {
            Table sealed = fill(store).seal(SETTINGS, Progress.NONE);
            sealed.alter(of("DURABILITY", "BUFFERED"));
            sealed.alter(of("MAX_VALUE_BYTES", "1000"));
            disk.observe(() -> {
                images.add(disk.crash(new CrashChoice.DropAll()));
                images.add(disk.crash(new CrashChoice.KeepAll()));
            });
            store.renameTable("db", "model", "new");
            disk.observe(() -> {});
            images.add(disk.crash(new CrashChoice.DropAll()));
        }
        int renamed = 0;
        for (SimStorage image : images) {
            try (KVStore store = open(image)) {
                String name = store.tables("db").getFirst();
                renamed += name.equals("new") ? 1 : 0;
                check(store, name);
            }
        }
        assertTrue(renamed > 0 && renamed < images.size(), renamed + " of " + images.size());
        try (KVStore store = open(images.getLast())) {
            check(store, "new");
        }
    }
}
