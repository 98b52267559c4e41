package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.engine.Progress;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.NotFoundException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.io.Storage;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.testkit.Subdirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A database of a backup becomes one of an open store: as a whole, or not at all. */
final class DatabaseRestoreTest {

    private static final Logger QUIET = Logger.getLogger("io.kvstore");
    private static final int ENTRIES = 60;
    private static final long UNLIMITED = Long.MAX_VALUE / 2;
    private static final DatabaseRestore SHOP = new DatabaseRestore(1, "shop", "shop_old");

    private final SimStorage repository = new SimStorage();

    @BeforeEach
    void silence() {
        QUIET.setLevel(Level.OFF);
    }

    private static KVStore open(Storage disk) {
        StepClock clock = new StepClock();
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(disk)
                        .withClock(clock)
                        .withBackground(new StepBackground(clock))
                        .withWalSegmentBytes(64 << 10)
                        .withCheckpointLogBytes(256 << 10)
                        .withMemoryBytes(64 << 20));
    }

    private static byte[] value(int i) {
        byte[] value = new byte[2_000];
        new SplittableRandom(i).nextBytes(value);
        return value;
    }

    /** A store with a backup, after which it has changed. */
    private KVStore store(Storage disk) {
        KVStore store = open(disk);
        store.createDB("shop");
        store.createDB("other");
        store.createTable("other", "t", "MODEL").put("k", new byte[100_000]);
        for (String name : List.of("first", "second")) {
            Table table = store.createTable("shop", name, "MODEL");
            for (int i = 0; i < ENTRIES; i++) {
                table.put("key" + i, value(i));
            }
        }
        assertNotNull(BackupSeam.backup(store, repository, Progress.NONE));
        store.table("shop", "first").put("key1", new byte[1]);
        store.dropTable("shop", "second");
        return store;
    }

    private boolean restore(KVStore store, Progress progress) {
        return BackupSeam.restoreDatabase(repository, SHOP, store, progress);
    }

    private static void assertRestored(KVStore store) {
        assertEquals(List.of("other", "shop", "shop_old"), store.databases());
        assertEquals(List.of("first", "second"), store.tables("shop_old"));
        for (String name : store.tables("shop_old")) {
            Table table = store.table("shop_old", name);
            assertEquals(ENTRIES, table.count(KeyRange.all()));
            for (int i = 0; i < ENTRIES; i++) {
                assertArrayEquals(value(i), table.get("key" + i));
            }
        }
        assertEquals(0, store.verify().total());
    }

    /** Nothing of the restore is there, neither in the store nor on its disk. */
    private static void assertNothing(KVStore store, SimStorage disk) throws IOException {
        assertEquals(List.of("other", "shop"), store.databases());
        assertThrows(NotFoundException.class, () -> store.tables("shop_old"));
        assertThrows(NotFoundException.class, () -> store.table("shop_old", "first"));
        assertEquals(2, store.stats().tables().size());
        assertFalse(disk.list("").stream().anyMatch(name -> name.endsWith(".scratch")), "scratch files are left");
    }

    private static void assertNoTableFiles(SimStorage disk) throws IOException {
        assertEquals(2, disk.list("tables").size(), () -> "files of tables are left: " + disk.files());
    }

    @Test
    void a_database_is_there_as_it_was_and_durable() throws IOException {
        SimStorage disk = new SimStorage();
        try (KVStore store = store(disk)) {
            List<Long> told = new ArrayList<>();
            assertTrue(restore(store, (done, total) -> {
                assertTrue(done <= total);
                told.add(done);
                assertEquals(List.of("other", "shop"), store.databases());
                return true;
            }));
            assertEquals(told.stream().sorted().toList(), told);
            assertRestored(store);
            assertArrayEquals(new byte[1], store.get("shop", "first", "key1"));
            try (KVStore after = open(disk.crash(new CrashChoice.DropAll()))) {
                assertRestored(after);
            }
            store.put("shop_old", "first", "more", new byte[1]);
            assertThrows(AlreadyExistsException.class, () -> restore(store, Progress.NONE));
        }
        try (KVStore again = open(disk)) {
            assertEquals(ENTRIES + 1, again.table("shop_old", "first").count(KeyRange.all()));
        }
    }

    @Test
    void what_is_not_there_is_named() throws IOException {
        SimStorage disk = new SimStorage();
        try (KVStore store = store(disk)) {
            refused("no backup 7", new DatabaseRestore(7, "shop", "new"), store, NotFoundException.class);
            refused(
                    "no database shops; it has [other, shop]",
                    new DatabaseRestore(1, "shops", "new"),
                    store,
                    NotFoundException.class);
            refused("shop exists", new DatabaseRestore(7, "shops", "shop"), store, AlreadyExistsException.class);
            assertThrows(InvalidRequestException.class, () -> new DatabaseRestore(1, "shop", "_"));
            assertThrows(InvalidRequestException.class, () -> new DatabaseRestore(1, "s".repeat(65), "new"));
            assertNothing(store, disk);
        }
    }

    private void refused(String why, DatabaseRestore what, KVStore store, Class<? extends KVStoreException> expected) {
        KVStoreException e =
                assertThrows(expected, () -> BackupSeam.restoreDatabase(repository, what, store, Progress.NONE));
        assertTrue(String.valueOf(e.getMessage()).contains(why), e.getMessage());
    }

    /** It is ended at each moment at which it asks. */
    @Test
    void a_restore_that_is_ended_leaves_nothing() throws IOException {
        SimStorage disk = new SimStorage();
        KVStore store = store(disk);
        int ended = 0;
        boolean whole = false;
        while (!whole) {
            int[] left = {ended};
            whole = restore(store, (done, total) -> left[0]-- > 0);
            if (!whole) {
                ended++;
                assertNothing(store, disk);
            }
        }
        assertTrue(ended > 3, ended + " moments");
        assertRestored(store);
        store.close();
        assertEquals(0, disk.openResources());
    }

    /** Nobody gets the name, sees a table or backs it up, while the database is on its way. */
    @Test
    void a_database_on_its_way_is_nobodys() throws IOException {
        SimStorage disk = new SimStorage();
        SimStorage second = new SimStorage();
        try (KVStore store = store(disk)) {
            long before = labels(disk);
            assertTrue(restore(store, (done, total) -> {
                if (done > total / 2 && done < total) {
                    AlreadyExistsException e =
                            assertThrows(AlreadyExistsException.class, () -> store.createDB("shop_old"));
                    assertTrue(String.valueOf(e.getMessage()).contains("being restored"), e.getMessage());
                    assertThrows(AlreadyExistsException.class, () -> restore(store, Progress.NONE));
                    assertThrows(NotFoundException.class, () -> store.table("shop_old", "first"));
                    assertTrue(labels(disk) <= before, "a salvage would take a part for the whole");
                    store.checkpoint();
                    assertNotNull(BackupSeam.backup(store, second, Progress.NONE));
                }
                return true;
            }));
            assertRestored(store);
            assertTrue(labels(disk) >= 4, "each table of the store has its label");
        }
        SimStorage target = new SimStorage();
        assertTrue(BackupSeam.restore(second, 1, target, "copy"));
        try (KVStore copy = open(Subdirectory.of(target, "copy"))) {
            assertEquals(List.of("other", "shop"), copy.databases());
            assertEquals(List.of("first"), copy.tables("shop"));
        }
        assertNoTableFiles(openAndClose(target));
    }

    private static long labels(SimStorage disk) {
        return disk.files().stream()
                .filter(file -> file.startsWith("tables/") && file.endsWith("/LABEL"))
                .count();
    }

    private static SimStorage openAndClose(SimStorage target) throws IOException {
        SimStorage copy = Subdirectory.of(target, "copy");
        open(copy).close();
        return copy;
    }

    @Test
    void the_disk_is_full_at_several_moments() throws IOException {
        SimStorage disk = new SimStorage();
        KVStore store = store(disk);
        int refused = 0;
        boolean whole = false;
        for (long room = 0; !whole; room += 20_000) {
            disk.setCapacity(UNLIMITED - disk.freeBytes() + room);
            try {
                whole = restore(store, Progress.NONE);
            } catch (DiskFullException e) {
                refused++;
                disk.setCapacity(UNLIMITED);
                assertNothing(store, disk);
            }
            disk.setCapacity(UNLIMITED);
        }
        assertTrue(refused > 10, refused + " were refused");
        assertRestored(store);
        store.close();
        try (KVStore again = open(disk)) {
            assertRestored(again);
        }
    }

    /** Operations on the disk of the store fail once. The database is there or not; nothing is left in between. */
    @Test
    void operations_fail() throws IOException {
        int tried = 0;
        while (isWholeOrGone(FaultPlan.diskFull(19L * tried)) > 0) {
            tried++;
        }
        assertTrue(tried > 10, tried + " failed");
    }

    /** The last operations publish the database. After an error there nobody knows whether the disk has it. */
    @Test
    void each_of_the_last_operations_fails() throws IOException {
        long all = isWholeOrGone(FaultPlan.ioError(Long.MAX_VALUE));
        for (long at = all - 40; at < all; at++) {
            assertTrue(isWholeOrGone(FaultPlan.ioError(at)) > 0, "operation " + at + " of " + all);
        }
    }

    /** Returns how many operations failed, or, if the plan is beyond all of them, how many there are. */
    private long isWholeOrGone(FaultPlan plan) throws IOException {
        SimStorage disk = new SimStorage();
        FaultyStorage faulty = new FaultyStorage(disk);
        repository.deleteTree("backups");
        repository.deleteTree("parts");
        repository.delete("REPOSITORY");
        KVStore store = store(faulty);
        faulty.arm(plan);
        boolean whole = false;
        try {
            whole = restore(store, Progress.NONE);
        } catch (KVStoreException e) {
            assertTrue(faulty.failed() > 0, e::toString);
        }
        long result = plan.at() == Long.MAX_VALUE ? faulty.counted() : faulty.failed();
        faulty.disarm();
        if (whole) {
            assertRestored(store);
        } else if (store.failure() == null) {
            assertNothing(store, disk);
            assertTrue(restore(store, Progress.NONE), "the name is free again");
            assertRestored(store);
        }
        try {
            store.close();
        } catch (KVStoreException e) {
            assertNotNull(store.failure(), e::toString);
        }
        assertEquals(0, disk.openResources());
        try (KVStore again = open(disk)) {
            if (again.databases().contains("shop_old")) {
                assertRestored(again);
            } else {
                assertNothing(again, disk);
                assertNoTableFiles(disk);
            }
        }
        return result;
    }

    /** The catalog cannot be written when a restore is given up, so it still lists the tables. */
    @Test
    void tables_that_are_given_up_hold_no_log() throws IOException {
        SimStorage disk = new SimStorage();
        FaultyStorage faulty = new FaultyStorage(disk);
        try (KVStore store = store(faulty)) {
            assertFalse(restore(store, (done, total) -> {
                if (done > total * 3 / 4) {
                    faulty.arm(new FaultPlan(Set.of(Operation.CREATE), 0, true, FaultPlan.Fault.EIO));
                    return false;
                }
                return true;
            }));
            assertTrue(faulty.failed() > 0);
            faulty.disarm();
            for (int i = 0; i < 20; i++) {
                for (int k = 0; k < 50; k++) {
                    store.put("other", "t", "k", new byte[2_000]);
                }
                store.checkpoint();
            }
            assertTrue(disk.list("wal").size() < 10, () -> "segments stay: " + disk.files());
            assertEquals(List.of("other", "shop"), store.databases());
        }
        try (KVStore again = open(disk)) {
            assertNothing(again, disk);
            assertNoTableFiles(disk);
        }
    }

    /** The limit of a table may have been lowered below the length of its values. */
    @Test
    void values_beyond_the_limit_of_their_table_are_restored() throws IOException {
        SimStorage disk = new SimStorage();
        try (KVStore store = store(disk)) {
            Properties limit = new Properties();
            limit.put(TableConfParamsEnum.MAX_VALUE_BYTES, 10);
            store.table("shop", "first").alter(limit);
            assertNotNull(BackupSeam.backup(store, repository, Progress.NONE));
            DatabaseRestore second = new DatabaseRestore(2, "shop", "shop_old");
            assertTrue(BackupSeam.restoreDatabase(repository, second, store, Progress.NONE));
            Table restored = store.table("shop_old", "first");
            assertArrayEquals(value(5), restored.get("key5"));
            assertEquals(ENTRIES, restored.count(KeyRange.all()));
            assertEquals(10, restored.maxValueBytes());
        }
    }

    /** Closing waits for the files of a restore: the directory may belong to another process afterwards. */
    @Test
    void closing_waits_until_the_restore_has_left_the_directory() throws Exception {
        SimStorage disk = new SimStorage();
        KVStore store = store(disk);
        CountDownLatch closed = new CountDownLatch(1);
        List<String> left = new ArrayList<>();
        Thread closing = new Thread(() -> {
            store.close();
            left.addAll(disk.files().stream()
                    .filter(file -> file.contains(".scratch"))
                    .toList());
            closed.countDown();
        });
        assertThrows(
                StoreClosedException.class,
                () -> restore(store, (done, total) -> {
                    if (done > total / 2 && closing.getState() == Thread.State.NEW) {
                        closing.start();
                        await(closed);
                    }
                    return true;
                }));
        closing.join();
        assertEquals(List.of(), left);
        try (KVStore again = open(disk)) {
            assertNothing(again, disk);
        }
    }

    /** Gives a closing that does not wait the time to end. */
    private static void await(CountDownLatch closed) {
        try {
            assertFalse(closed.await(300, TimeUnit.MILLISECONDS), "the store was closed before");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The process is killed, or the power lost, before each of many operations. */
    @Test
    void a_kill_leaves_all_or_nothing() throws IOException {
        SimStorage disk = new SimStorage();
        KVStore store = store(disk);
        List<SimStorage> images = new ArrayList<>();
        long[] seen = {0};
        disk.observe(() -> {
            if (seen[0]++ % 25 == 0) {
                images.add(disk.kill());
                images.add(disk.crash(new CrashChoice.DropAll()));
                images.add(disk.crash(new CrashChoice.Random(seen[0], false)));
            }
        });
        assertTrue(restore(store, Progress.NONE));
        disk.observe(() -> {});
        images.add(disk.crash(new CrashChoice.DropAll()));
        int whole = 0;
        for (SimStorage image : images) {
            try (KVStore after = open(image)) {
                if (after.databases().contains("shop_old")) {
                    whole++;
                    assertRestored(after);
                } else {
                    assertNothing(after, image);
                    assertNoTableFiles(image);
                    assertTrue(restore(after, Progress.NONE));
                    assertRestored(after);
                }
            }
            try (KVStore again = open(image)) {
                assertRestored(again); // no table that was left before has the name of one of them
            }
        }
        assertTrue(whole > 0 && whole < images.size(), whole + " of " + images.size());
        store.close();
    }

    @Test
    void the_store_is_closed_meanwhile() throws IOException {
        for (int half = 0; half < 2; half++) {
            SimStorage disk = new SimStorage();
            int inSecond = half;
            repository.deleteTree("backups");
            repository.deleteTree("parts");
            repository.delete("REPOSITORY");
            KVStore store = store(disk);
            assertThrows(
                    StoreClosedException.class,
                    () -> restore(store, (done, total) -> {
                        if (done >= total / 2 * inSecond) {
                            store.close();
                        }
                        return true;
                    }));
            assertEquals(0, disk.openResources());
            try (KVStore again = open(disk)) {
                assertNothing(again, disk);
                assertNoTableFiles(disk);
            }
        }
    }

    @Test
    void a_store_in_memory_gets_one_too() throws IOException {
        store(new SimStorage()).close();
        try (KVStore memory = KVStore.inMemory()) {
            memory.createDB("other");
            memory.createDB("shop");
            assertTrue(restore(memory, Progress.NONE));
            assertRestored(memory);
        }
    }

    @Test
    void a_store_that_is_only_read_gets_none() throws IOException {
        SimStorage disk = new SimStorage();
        store(disk).close();
        try (KVStore store = new KVStore(
                Path.of("unused"), KVStoreOptions.defaults().withReadOnly(true).withStorage(disk))) {
            assertThrows(InvalidRequestException.class, () -> restore(store, Progress.NONE));
        }
    }
}
