package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.TableConfParamsEnum;
import io.kvstore.data.KeyRange;
import io.kvstore.error.NotFoundException;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Temporary tables of one engine beside others: they go with the process, whole, and touch nothing else. */
public abstract class TemporaryTablesContract {

    private static final int ENTRIES = 3_000;
    private static final long PLENTY = Long.MAX_VALUE / 2;

    private final SimStorage disk = new SimStorage();

    /** Of the tables. */
    protected abstract String engine();

    /** Of a table with little memory, whose files are small. */
    protected abstract Properties properties();

    private static KVStore open(SimStorage storage, boolean readOnly) {
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(storage)
                        .withMemoryBytes(32 << 20)
                        .withWalSegmentBytes(256 << 10)
                        .withReadOnly(readOnly));
    }

    private Properties with(TableConfParamsEnum parameter, boolean value) {
        Properties all = new Properties();
        all.putAll(properties());
        all.put(parameter, value);
        return all;
    }

    private Table temporary(KVStore store) {
        return store.createTable("db", "temporary", engine(), with(TableConfParamsEnum.TEMPORARY, true));
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static void fill(Table table) {
        for (int i = 0; i < ENTRIES; i++) {
            table.put(key(i), new byte[i % 1_000]);
        }
        table.flush();
    }

    /** Makes the tables, one of each kind, and fills them. */
    private KVStore makeAll() {
        KVStore store = makeAllButTemporary();
        fill(temporary(store));
        store.checkpoint();
        return store;
    }

    private KVStore makeAllButTemporary() {
        KVStore store = open(disk, false);
        store.createDB("db");
        fill(store.createTable("db", "logged", engine(), properties()));
        fill(store.createTable("db", "unlogged", engine(), with(TableConfParamsEnum.ENABLE_WAL, false)));
        store.checkpoint();
        return store;
    }

    private static void checkOthers(KVStore store) {
        assertEquals(List.of("logged", "unlogged"), store.tables("db"));
        for (String name : store.tables("db")) {
            assertEquals(ENTRIES, store.table("db", name).count(KeyRange.all()));
            assertArrayEquals(new byte[999], store.table("db", name).get(key(999)));
        }
        assertThrows(NotFoundException.class, () -> store.table("db", "temporary"));
        assertEquals(0, store.verify().total());
    }

    @Test
    void what_a_kill_or_a_power_loss_left_goes_when_the_store_is_opened() throws IOException {
        KVStore store = makeAll();
        for (SimStorage left : List.of(disk.kill(), disk.crash(new CrashChoice.DropAll()))) {
            List<String> before = left.files();
            assertEquals(3, left.list("tables").size());
            try (KVStore reader = open(left, true)) {
                checkOthers(reader);
            }
            assertEquals(before, left.files(), "who only reads removes nothing");
            try (KVStore next = open(left, false)) {
                checkOthers(next);
                assertEquals(2, left.list("tables").size());
                Table again = temporary(next);
                assertNull(again.get(key(1)));
                assertTrue(again.id() > 3, "no id is used twice");
            }
            assertEquals(2, left.list("tables").size());
        }
        store.close();
    }

    @Test
    void closing_drops_them() throws IOException {
        KVStore store = makeAll();
        Table table = store.table("db", "temporary");
        assertFalse(table.properties().flag("ENABLE_WAL"));
        assertEquals(ENTRIES, table.count(KeyRange.all()));
        store.close();
        assertEquals(0, disk.openResources());
        assertEquals(2, disk.list("tables").size());
        try (KVStore next = open(disk, false)) {
            checkOthers(next);
        }
    }

    @Test
    void truncated_and_dropped_ones_leave_nothing() throws IOException {
        try (KVStore store = makeAll()) {
            Table table = store.table("db", "temporary");
            table.truncate();
            assertEquals(0, table.count(KeyRange.all()));
            assertTrue(table.properties().isTemporary());
            table.put(key(1), new byte[1]);
            store.dropTable("db", "temporary");
            temporary(store).put(key(2), new byte[2]);
        }
        assertEquals(2, disk.list("tables").size());
    }

    /** The process was killed because a temporary table had filled the disk: its files are the room to open the store. */
    @Test
    void a_disk_that_they_filled_is_free_again() throws IOException {
        KVStore store = makeAll();
        SimStorage left = disk.kill();
        String directory = left.list("tables").getLast();
        try (StorageFile file = left.create("tables/" + directory + "/filler")) {
            file.write(ByteBuffer.allocate(8 << 20), 0);
        }
        left.setCapacity(PLENTY - left.freeBytes());
        assertEquals(0, left.freeBytes());
        try (KVStore next = open(left, false)) {
            checkOthers(next);
            assertTrue(left.freeBytes() > 0);
        }
        store.close();
    }

    /** What they have in memory alone is lost anyway, and the log has what the others have there. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_full_disk_does_not_keep_the_store_from_being_closed(boolean hasFiles) throws IOException {
        KVStore store = hasFiles ? makeAll() : makeAllButTemporary();
        (hasFiles ? store.table("db", "temporary") : temporary(store)).put(key(1), new byte[1]);
        store.table("db", "logged").put(key(999), new byte[999]);
        disk.setCapacity(PLENTY - disk.freeBytes());
        store.close();
        assertEquals(0, disk.openResources());
        disk.setCapacity(PLENTY);
        try (KVStore next = open(disk, false)) {
            checkOthers(next);
        }
        assertEquals(2, disk.list("tables").size());
    }

    /** Without files there is nothing to check them against: a directory that is missing is no damage. */
    @Test
    void a_kill_while_they_are_removed_does_no_harm() throws IOException {
        KVStore store = makeAll();
        SimStorage left = disk.kill();
        left.deleteTree("tables/" + left.list("tables").getLast());
        try (KVStore reader = open(left, true)) {
            checkOthers(reader);
        }
        try (KVStore next = open(left, false)) {
            checkOthers(next);
        }
        store.close();
    }
}
