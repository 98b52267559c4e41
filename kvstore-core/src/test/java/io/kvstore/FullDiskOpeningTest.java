package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.error.DiskFullException;
import io.kvstore.io.Storage;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** A process that ended where the disk was full opens its store again: recovery takes what nobody has used. */
final class FullDiskOpeningTest {

    private static final int ENTRIES = 200;
    private static final int SEGMENT_BYTES = 64 << 10;
    private static final long UNLIMITED = Long.MAX_VALUE / 2;

    private static KVStore open(Storage disk) {
        StepClock clock = new StepClock();
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(disk)
                        .withClock(clock)
                        .withBackground(new StepBackground(clock))
                        .withDurability(Durability.SYNC)
                        .withWalSegmentBytes(SEGMENT_BYTES));
    }

    /** After a kill, with prepared segments of which nothing was used. */
    private static SimStorage killed() {
        return killed(new SimStorage(), false);
    }

    /** @param hasTemporary whether there is a temporary table, which has no file */
    private static SimStorage killed(SimStorage disk, boolean hasTemporary) {
        KVStore store = open(disk);
        store.createDB("d");
        if (hasTemporary) {
            Properties temporary = new Properties();
            temporary.put(TableConfParamsEnum.TEMPORARY, true);
            store.createTable("d", "temporary", "MODEL", temporary).put("k", new byte[1]);
        }
        Table table = store.createTable("d", "t", "MODEL");
        for (int i = 0; i < ENTRIES; i++) {
            table.put("k" + i, new byte[1_000]);
        }
        return disk.kill();
    }

    private static void fill(SimStorage disk, long leftBytes) throws IOException {
        disk.setCapacity(UNLIMITED - disk.freeBytes() + leftBytes);
    }

    private static void deletePrepared(SimStorage disk) throws IOException {
        for (String path : disk.files()) {
            if (path.startsWith("wal/") && disk.bytes(path)[0] == 0) {
                disk.delete(path);
            }
        }
    }

    private static void assertWorks(SimStorage disk) {
        try (KVStore store = open(disk)) {
            Table table = store.table("d", "t");
            assertEquals(ENTRIES, table.count(KeyRange.all()));
            assertNotNull(table.get("k7"));
            table.remove("k7");
            assertEquals(ENTRIES - 1, table.count(KeyRange.all()));
        }
    }

    @Test
    void prepared_segments_make_room_for_the_one_that_recovery_begins_with() throws IOException {
        SimStorage disk = killed();
        fill(disk, 0);
        assertWorks(disk);
    }

    /** The catalog is written without them when the log has made room for that. */
    @Test
    void temporary_tables_that_have_no_files_make_no_difference() throws IOException {
        SimStorage disk = killed(new SimStorage(), true);
        fill(disk, 0);
        assertWorks(disk);
        disk.setCapacity(UNLIMITED);
        try (KVStore store = open(disk)) {
            assertEquals(List.of("t"), store.tables("d"));
        }
    }

    @Test
    void without_them_the_log_goes_on_in_as_little_as_there_is() throws IOException {
        SimStorage disk = killed();
        deletePrepared(disk);
        fill(disk, SEGMENT_BYTES / 2);
        try (KVStore store = open(disk)) {
            assertEquals(ENTRIES, store.table("d", "t").count(KeyRange.all()));
        }
    }

    @Test
    void where_there_is_nothing_the_store_is_as_it_was() throws IOException {
        SimStorage disk = killed();
        deletePrepared(disk);
        fill(disk, 0);
        assertThrows(DiskFullException.class, () -> open(disk));
        assertEquals(0, disk.openResources());
        disk.setCapacity(UNLIMITED);
        assertWorks(disk);
    }
}
