package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.StoreLockedException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.StorageFile;
import io.kvstore.io.StorageLock;
import io.kvstore.io.WritableMapping;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The crash model itself: what is lost, what stays, and nothing else. */
final class SimStorageTest {

    private static final int SECTOR = SimInode.SECTOR_BYTES;

    private final SimStorage disk = new SimStorage();

    @Test
    void synced_file_in_synced_directory_survives() throws IOException {
        create("a", filled(1000, 1));
        disk.syncDirectory("");
        SimStorage after = disk.crash(new CrashChoice.DropAll());
        assertArrayEquals(filled(1000, 1), after.bytes("a"));
        assertEquals(0, after.pendingOperations());
    }

    @Test
    void entry_without_a_directory_sync_is_lost_although_the_file_was_synced() throws IOException {
        create("a", filled(10, 1));
        assertEquals(1, disk.pendingOperations());
        assertFalse(disk.crash(new CrashChoice.DropAll()).exists("a"));
        assertTrue(disk.crash(new CrashChoice.KeepAll()).exists("a"));
        assertTrue(disk.kill().exists("a"));
    }

    @Test
    void file_in_a_directory_that_was_not_synced_is_lost_with_it() throws IOException {
        disk.createDirectory("d");
        create("d/a", filled(10, 1));
        disk.syncDirectory("d");
        assertFalse(disk.crash(new CrashChoice.DropAll()).exists("d/a"));
        disk.syncDirectory("");
        assertTrue(disk.crash(new CrashChoice.DropAll()).exists("d/a"));
    }

    @Test
    void rename_without_a_directory_sync_leaves_the_old_or_the_new_content() throws IOException {
        create("a", filled(10, 1));
        create("b", filled(10, 2));
        disk.syncDirectory("");
        disk.rename("b", "a");
        SimStorage dropped = disk.crash(new CrashChoice.DropAll());
        assertArrayEquals(filled(10, 1), dropped.bytes("a"));
        assertTrue(dropped.exists("b"));
        SimStorage kept = disk.crash(new CrashChoice.KeepAll());
        assertArrayEquals(filled(10, 2), kept.bytes("a"));
        assertFalse(kept.exists("b"));
    }

    @Test
    void rename_of_an_unsynced_file_can_leave_it_empty() throws IOException {
        create("a", filled(10, 1));
        disk.syncDirectory("");
        try (StorageFile file = disk.create("b")) {
            file.write(ByteBuffer.wrap(filled(10, 2)), 0);
        }
        disk.rename("b", "a");
        disk.syncDirectory("");
        assertArrayEquals(new byte[0], disk.crash(new CrashChoice.DropAll()).bytes("a"));
    }

    @Test
    void move_between_directories_is_never_half_done() throws IOException {
        disk.createDirectory("d");
        create("a", filled(10, 1));
        disk.syncDirectory("");
        disk.rename("a", "d/a");
        disk.syncDirectory("");
        SimStorage dropped = disk.crash(new CrashChoice.DropAll());
        assertTrue(dropped.exists("a"));
        assertFalse(dropped.exists("d/a"));
        disk.syncDirectory("d");
        SimStorage synced = disk.crash(new CrashChoice.DropAll());
        assertFalse(synced.exists("a"));
        assertTrue(synced.exists("d/a"));
    }

    @Test
    void deleted_file_returns_when_the_deletion_was_not_synced() throws IOException {
        create("a", filled(10, 1));
        disk.syncDirectory("");
        disk.delete("a");
        assertFalse(disk.exists("a"));
        assertArrayEquals(filled(10, 1), disk.crash(new CrashChoice.DropAll()).bytes("a"));
    }

    @Test
    void unsynced_writes_survive_a_kill_and_the_crash_after_it_can_still_drop_them() throws IOException {
        create("a", filled(10, 1));
        disk.syncDirectory("");
        write("a", filled(10, 2), 0);
        SimStorage killed = disk.kill();
        assertArrayEquals(filled(10, 2), killed.bytes("a"));
        assertEquals(1, killed.pendingOperations());
        assertArrayEquals(filled(10, 1), killed.crash(new CrashChoice.DropAll()).bytes("a"));
    }

    @Test
    void sync_drains_its_own_file_only() throws IOException {
        create("a", filled(10, 1));
        create("b", filled(10, 1));
        disk.syncDirectory("");
        write("a", filled(10, 2), 0);
        try (StorageFile file = disk.open("b")) {
            file.write(ByteBuffer.wrap(filled(10, 2)), 0);
            file.sync();
        }
        SimStorage after = disk.crash(new CrashChoice.DropAll());
        assertArrayEquals(filled(10, 1), after.bytes("a"));
        assertArrayEquals(filled(10, 2), after.bytes("b"));
    }

    @Test
    void sectors_of_one_write_are_kept_one_by_one() throws IOException {
        create("a", filled(4 * SECTOR, 1));
        disk.syncDirectory("");
        write("a", filled(4 * SECTOR, 2), 0);
        Set<String> seen = new HashSet<>();
        for (int seed = 0; seed < 2000; seed++) {
            byte[] left = disk.crash(new CrashChoice.Random(seed, false)).bytes("a");
            StringBuilder pattern = new StringBuilder();
            for (int sector = 0; sector < 4; sector++) {
                byte[] part = Arrays.copyOfRange(left, sector * SECTOR, (sector + 1) * SECTOR);
                assertArrayEquals(filled(SECTOR, part[0]), part, "a sector is never torn");
                pattern.append(part[0]);
            }
            seen.add(pattern.toString());
        }
        assertEquals(16, seen.size());
    }

    @Test
    void later_write_of_a_sector_brings_the_earlier_one_with_it() throws IOException {
        create("a", filled(SECTOR, 1));
        disk.syncDirectory("");
        write("a", filled(10, 2), 0);
        write("a", filled(10, 3), 10);
        byte[] left = disk.crash(new CrashChoice.KeepOne(1)).bytes("a");
        assertEquals(2, left[0]);
        assertEquals(3, left[10]);
        assertEquals(1, left[20]);
        left = disk.crash(new CrashChoice.DropOne(1)).bytes("a");
        assertEquals(2, left[0]);
        assertEquals(1, left[10]);
    }

    @Test
    void torn_choice_keeps_the_first_sectors() throws IOException {
        create("a", filled(3 * SECTOR, 1));
        disk.syncDirectory("");
        write("a", filled(3 * SECTOR, 2), 0);
        byte[] left = disk.crash(new CrashChoice.Torn(0, 2)).bytes("a");
        assertEquals(2, left[2 * SECTOR - 1]);
        assertEquals(1, left[2 * SECTOR]);
    }

    @Test
    void file_can_be_longer_than_what_was_kept_of_it_and_is_zero_there() throws IOException {
        create("a", new byte[0]);
        disk.syncDirectory("");
        write("a", filled(3 * SECTOR, 2), 0);
        boolean seen = false;
        for (int seed = 0; seed < 500 && !seen; seed++) {
            byte[] left = disk.crash(new CrashChoice.Random(seed, false)).bytes("a");
            seen = left.length == 3 * SECTOR && left[left.length - 1] == 0;
        }
        assertTrue(seen);
        assertEquals(0, disk.crash(new CrashChoice.DropAll()).bytes("a").length);
    }

    @Test
    void cut_is_lost_without_a_sync_and_zeros_follow_a_regrowth() throws IOException {
        create("a", filled(1000, 1));
        disk.syncDirectory("");
        try (StorageFile file = disk.open("a")) {
            file.truncate(100);
            assertArrayEquals(
                    filled(1000, 1), disk.crash(new CrashChoice.DropAll()).bytes("a"));
            file.truncate(2000);
            assertEquals(100, file.size());
            file.write(ByteBuffer.wrap(filled(1, 2)), 900);
            byte[] expected = Arrays.copyOf(filled(100, 1), 901);
            expected[900] = 2;
            assertArrayEquals(expected, disk.bytes("a"));
            file.sync();
            assertArrayEquals(expected, disk.crash(new CrashChoice.DropAll()).bytes("a"));
        }
    }

    @Test
    void garbage_only_where_a_write_was_on_its_way() throws IOException {
        create("a", filled(3 * SECTOR, 1));
        disk.syncDirectory("");
        write("a", filled(SECTOR, 2), SECTOR);
        boolean garbage = false;
        for (int seed = 0; seed < 200; seed++) {
            byte[] left = disk.crash(new CrashChoice.Random(seed, true)).bytes("a");
            assertArrayEquals(filled(SECTOR, 1), Arrays.copyOf(left, SECTOR));
            assertArrayEquals(filled(SECTOR, 1), Arrays.copyOfRange(left, 2 * SECTOR, 3 * SECTOR));
            byte[] middle = Arrays.copyOfRange(left, SECTOR, 2 * SECTOR);
            garbage |= !Arrays.equals(middle, filled(SECTOR, 1)) && !Arrays.equals(middle, filled(SECTOR, 2));
        }
        assertTrue(garbage);
    }

    @Test
    void mapping_sectors_are_pending_in_any_order_and_a_force_drains_its_range() throws IOException {
        create("a", filled(4 * SECTOR, 1));
        disk.syncDirectory("");
        try (WritableMapping mapping = disk.map("a", 4 * SECTOR)) {
            for (int sector = 0; sector < 4; sector++) {
                mapping.memory().set(ValueLayout.JAVA_BYTE, (long) sector * SECTOR, (byte) 2);
            }
            assertEquals(4, disk.pendingOperations());
            byte[] lastOnly = disk.crash(new CrashChoice.KeepOne(3)).bytes("a");
            assertEquals(1, lastOnly[0]);
            assertEquals(2, lastOnly[3 * SECTOR]);
            assertEquals(2, disk.kill().bytes("a")[0]);
            mapping.force(SECTOR, SECTOR);
            assertEquals(3, disk.pendingOperations());
            byte[] left = disk.crash(new CrashChoice.DropAll()).bytes("a");
            assertEquals(1, left[0]);
            assertEquals(2, left[SECTOR]);
            assertEquals(1, left[2 * SECTOR]);
        }
        assertEquals(3, disk.pendingOperations(), "closing a mapping makes nothing durable");
        assertEquals(0, disk.openResources());
    }

    @Test
    void mapping_and_file_see_each_other() throws IOException {
        create("a", filled(2 * SECTOR, 1));
        try (WritableMapping mapping = disk.map("a", SECTOR);
                StorageFile file = disk.open("a")) {
            file.write(ByteBuffer.wrap(filled(2, 5)), 3);
            assertEquals(5, mapping.memory().get(ValueLayout.JAVA_BYTE, 3));
            mapping.memory().set(ValueLayout.JAVA_BYTE, 7, (byte) 6);
            ByteBuffer read = ByteBuffer.allocate(8);
            file.readFully(read, 0);
            assertEquals(6, read.get(7));
        }
    }

    @Test
    void after_a_failed_sync_the_next_one_succeeds_and_saves_nothing() throws IOException {
        create("a", filled(10, 1));
        disk.syncDirectory("");
        try (StorageFile file = disk.open("a")) {
            file.write(ByteBuffer.wrap(filled(10, 2)), 0);
            ((LosesUnsynced) file).loseUnsynced(SyncLoss.PAGES_CLEAN);
            file.sync();
            assertArrayEquals(filled(10, 2), disk.bytes("a"));
            assertArrayEquals(
                    filled(10, 1), disk.crash(new CrashChoice.KeepAll()).bytes("a"));
            ((LosesUnsynced) file).loseUnsynced(SyncLoss.REVERT);
            assertArrayEquals(filled(10, 1), disk.bytes("a"));
        }
    }

    @Test
    void open_file_stays_readable_after_its_deletion() throws IOException {
        create("a", filled(10, 1));
        try (StorageFile file = disk.openReadOnly("a")) {
            disk.delete("a");
            ByteBuffer read = ByteBuffer.allocate(10);
            file.readFully(read, 0);
            assertEquals(1, read.get(9));
            assertThrows(IOException.class, () -> file.write(ByteBuffer.wrap(filled(1, 1)), 0));
        }
    }

    @Test
    void full_disk_takes_what_fits_and_frees_what_is_deleted() throws IOException {
        disk.setCapacity(1000);
        create("a", filled(600, 1));
        try (StorageFile file = disk.create("b")) {
            assertThrows(NoSpaceException.class, () -> file.write(ByteBuffer.wrap(filled(600, 2)), 0));
            assertEquals(400, file.size());
            assertEquals(0, disk.freeBytes());
            file.write(ByteBuffer.wrap(filled(400, 3)), 0);
        }
        assertThrows(NoSpaceException.class, () -> disk.create("c"));
        disk.delete("a");
        assertEquals(600, disk.freeBytes());
    }

    @Test
    void lock_excludes_until_closed_and_does_not_outlive_the_process() throws IOException {
        StorageLock lock = disk.lock("LOCK");
        assertThrows(StoreLockedException.class, () -> disk.lock("LOCK"));
        disk.kill().lock("LOCK").close();
        lock.close();
        disk.lock("LOCK").close();
        assertEquals(0, disk.openResources());
    }

    @Test
    void choices_are_enumerated_for_every_pending_operation() throws IOException {
        create("a", filled(10, 1));
        write("a", filled(10, 2), 0);
        assertEquals(2, disk.pendingOperations());
        List<CrashChoice> all = CrashChoice.enumerate(2, 3, 1);
        assertEquals(2 + 2 * 3 + 1 + 3, all.size());
        for (CrashChoice choice : all) {
            SimStorage after = disk.crash(choice);
            assertTrue(!after.exists("a") || after.bytes("a").length == 10);
        }
    }

    @Test
    void nothing_works_after_power_off() throws IOException {
        create("a", filled(SECTOR, 1));
        WritableMapping mapping = disk.map("a", SECTOR);
        disk.powerOff();
        assertThrows(IOException.class, () -> disk.exists("a"));
        assertThrows(IllegalStateException.class, () -> mapping.memory().get(ValueLayout.JAVA_BYTE, 0));
    }

    private void create(String path, byte[] bytes) throws IOException {
        try (StorageFile file = disk.create(path)) {
            file.write(ByteBuffer.wrap(bytes), 0);
            file.sync();
        }
    }

    private void write(String path, byte[] bytes, long position) throws IOException {
        try (StorageFile file = disk.open(path)) {
            file.write(ByteBuffer.wrap(bytes), position);
        }
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
