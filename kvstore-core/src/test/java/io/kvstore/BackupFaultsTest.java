package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.StorageException;
import io.kvstore.io.Storage;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.Subdirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What faults, losses of power and damage leave of a repository, and of a restore. */
final class BackupFaultsTest {

    private static final Logger QUIET = Logger.getLogger("io.kvstore");
    private static final int ENTRIES = 40;
    private static final String NAME = "restored";

    @BeforeEach
    void silence() {
        QUIET.setLevel(Level.OFF);
    }

    /** A store with tables, and values that are those of a round. */
    private static KVStore store(Storage disk) {
        KVStore store = BackupSeam.open(disk);
        store.createDB("d");
        store.createTable("d", "first", "MODEL");
        store.createTable("d", "second", "MODEL");
        return store;
    }

    private static void write(KVStore store, int round) {
        SplittableRandom random = new SplittableRandom(round);
        for (String name : store.tables("d")) {
            for (int i = 0; i < ENTRIES; i++) {
                byte[] value = new byte[1_000 + random.nextInt(1_000)];
                random.nextBytes(value);
                store.put("d", name, "key" + i, value);
            }
        }
    }

    private static void check(KVStore store, int round) {
        SplittableRandom random = new SplittableRandom(round);
        for (String name : List.of("first", "second")) {
            for (int i = 0; i < ENTRIES; i++) {
                byte[] value = new byte[1_000 + random.nextInt(1_000)];
                random.nextBytes(value);
                assertArrayEquals(value, store.get("d", name, "key" + i), name + " of round " + round);
            }
        }
    }

    private static BackupInfo backup(KVStore store, Storage repository) {
        BackupInfo made = BackupSeam.backup(store, repository, Progress.NONE);
        assertNotNull(made);
        return made;
    }

    /** Fails unless a backup is the store of a round. */
    private static void check(Storage repository, long id, int round) throws IOException {
        SimStorage target = new SimStorage();
        assertTrue(BackupSeam.restore(repository, id, target, NAME));
        SimStorage after = target.crash(new CrashChoice.DropAll()); // all of it is durable
        try (KVStore store = BackupSeam.open(Subdirectory.of(after, NAME))) {
            check(store, round);
            assertEquals(0, store.verify().total());
        }
    }

    private static void assertClean(Storage repository) {
        Findings findings = BackupSeam.verify(repository);
        assertEquals(0, findings.total(), () -> findings.kept().toString());
    }

    /** All files of a repository but its lock. */
    private static List<String> files(SimStorage repository) {
        return repository.files().stream().filter(file -> !file.equals("LOCK")).toList();
    }

    /** The log that it has copied by then goes with it, and not with the next backup. */
    @Test
    void a_backup_that_cannot_read_the_one_before_leaves_nothing() throws IOException {
        SimStorage repository = new SimStorage();
        try (KVStore store = store(new SimStorage())) {
            write(store, 1);
            backup(store, repository);
            List<String> before = repository.files();
            Storage failing = HookedStorage.over(repository, (name, path, rest) -> {
                if (name.equals("size") && path.startsWith("parts/")) {
                    throw new IOException("for the test");
                }
                return rest.call();
            });
            assertThrows(StorageException.class, () -> BackupSeam.backup(store, failing, Progress.NONE));
            assertEquals(before, repository.files());
            backup(store, repository);
        }
        assertClean(repository);
    }

    @Test
    void every_flipped_bit_is_found() throws IOException {
        SimStorage repository = new SimStorage();
        try (KVStore store = store(new SimStorage())) {
            for (int round = 1; round <= 3; round++) {
                write(store, round);
                backup(store, repository);
            }
        }
        assertClean(repository);
        SplittableRandom random = new SplittableRandom(4);
        List<String> files = files(repository);
        for (int i = 0; i < 200; i++) {
            String path = files.get(random.nextInt(files.size()));
            byte[] sound = repository.bytes(path);
            byte[] damaged = sound.clone();
            int at = i % 10 == 0 ? random.nextInt(Math.min(64, sound.length)) : random.nextInt(sound.length);
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            repository.replace(path, damaged);
            requireFound(repository, path);
            repository.replace(path, sound);
        }
        assertClean(repository);
    }

    private static void requireFound(SimStorage repository, String path) {
        try {
            Findings findings = BackupSeam.verify(repository);
            assertTrue(
                    findings.kept().stream().anyMatch(finding -> finding.file().equals(path)),
                    () -> path + " is damaged, found was " + findings.kept());
        } catch (KVStoreException e) {
            assertTrue(
                    path.equals("REPOSITORY") && String.valueOf(e.getMessage()).contains(path), e.getMessage());
        }
    }

    @Test
    void every_cut_and_every_missing_file_is_found() throws IOException {
        SimStorage repository = new SimStorage();
        try (KVStore store = store(new SimStorage())) {
            write(store, 1);
            backup(store, repository);
            write(store, 2);
            backup(store, repository);
        }
        SplittableRandom random = new SplittableRandom(9);
        for (String path : files(repository)) {
            byte[] sound = repository.bytes(path);
            for (int i = 0; i < 6; i++) {
                byte[] cut = Arrays.copyOf(sound, i == 0 ? 0 : random.nextInt(sound.length));
                repository.replace(path, cut);
                requireFound(repository, path);
                refuseRestore(repository, path);
                repository.replace(path, sound);
            }
            byte[] longer = Arrays.copyOf(sound, sound.length + 1 + random.nextInt(100));
            repository.replace(path, longer);
            requireFound(repository, path);
            repository.replace(path, sound);
            if (path.startsWith("parts/")) {
                repository.delete(path);
                requireFound(repository, path);
                repository.create(path).close();
                repository.replace(path, sound);
            }
        }
        assertClean(repository);
        check(repository, 2, 2);
    }

    /** A backup that rests on a file that was cut is refused, and leaves nothing; the other one may be whole. */
    private static void refuseRestore(SimStorage repository, String path) throws IOException {
        int refused = 0;
        for (long id = 1; id <= 2; id++) {
            SimStorage target = new SimStorage();
            try {
                assertTrue(BackupSeam.restore(repository, id, target, NAME));
            } catch (KVStoreException e) {
                assertTrue(String.valueOf(e.getMessage()).contains(path), e.getMessage());
                assertEquals(List.of(), target.list(""));
                refused++;
            }
        }
        assertTrue(refused > 0, path + " was cut, and all was restored");
    }

    /** Each operation of a backup fails once, and once from then on. What was there before stays, and the next one works. */
    @Test
    void each_operation_of_a_backup_fails() throws IOException {
        KVStore store = store(new SimStorage());
        write(store, 1);
        int failed = 0;
        for (FaultPlan.Fault fault :
                List.of(FaultPlan.Fault.EIO, FaultPlan.Fault.NO_SPACE, FaultPlan.Fault.SHORT_NO_SPACE)) {
            for (boolean sticky : new boolean[] {false, true}) {
                boolean more = true;
                for (long at = 0; more; at++) {
                    SimStorage disk = new SimStorage();
                    write(store, 1);
                    long first = backup(store, disk).id();
                    write(store, 2);
                    FaultyStorage faulty = new FaultyStorage(disk);
                    FaultPlan plan = fault == FaultPlan.Fault.EIO ? FaultPlan.ioError(at) : FaultPlan.diskFull(at);
                    faulty.arm(plan.with(fault).sticky(sticky));
                    try {
                        BackupSeam.backup(store, faulty, Progress.NONE);
                    } catch (KVStoreException e) {
                        failed++;
                    }
                    more = faulty.failed() > 0;
                    faulty.disarm();
                    assertEquals(0, store.stats().holds().count());
                    requireSound(disk, store, first);
                }
            }
        }
        assertTrue(failed > 100, failed + " failed");
        store.close();
    }

    private static void requireSound(SimStorage disk, KVStore store, long first) throws IOException {
        assertEquals(0, disk.openResources());
        assertClean(disk);
        check(disk, first, 1);
        for (long id : BackupSeam.ids(disk)) {
            if (id != first) {
                check(disk, id, 2);
            }
        }
        long next = backup(store, disk).id();
        check(disk, next, 2);
        assertClean(disk);
        for (long id : BackupSeam.ids(disk)) {
            if (id != next) {
                BackupSeam.delete(disk, List.of(id));
            }
        }
        check(disk, next, 2);
        BackupSeam.delete(disk, List.of(next));
        assertEquals(List.of("REPOSITORY"), files(disk), "nothing is left of what failed");
    }

    /** The power is lost before each operation of a backup that changes something. */
    @Test
    void the_power_is_lost_in_a_backup() throws IOException {
        KVStore store = store(new SimStorage());
        write(store, 1);
        SimStorage disk = new SimStorage();
        backup(store, disk);
        write(store, 2);
        List<SimStorage> images = new ArrayList<>();
        long[] seed = {1};
        disk.observe(() -> {
            images.add(disk.crash(new CrashChoice.DropAll()));
            images.add(disk.crash(new CrashChoice.KeepAll()));
            for (int i = 0; i < 3; i++) {
                images.add(disk.crash(new CrashChoice.Random(seed[0]++, i == 0)));
            }
        });
        backup(store, disk);
        disk.observe(() -> {});
        images.add(disk.crash(new CrashChoice.DropAll())); // after it was acknowledged
        assertEquals(List.of(1L, 2L), BackupSeam.ids(images.getLast()));
        assertTrue(images.size() > 80, images.size() + " images");
        for (SimStorage image : images) {
            requireSound(image, store, 1);
        }
        store.close();
    }

    /** Each operation of a restore fails. The new directory is not there, or it is whole. */
    @Test
    void each_operation_of_a_restore_fails() throws IOException {
        SimStorage repository = new SimStorage();
        try (KVStore store = store(new SimStorage())) {
            write(store, 1);
            backup(store, repository);
        }
        for (boolean full : new boolean[] {false, true}) {
            boolean more = true;
            for (long at = 0; more; at++) {
                SimStorage disk = new SimStorage();
                FaultyStorage target = new FaultyStorage(disk);
                target.arm(full ? FaultPlan.diskFull(at) : FaultPlan.ioError(at));
                boolean done = false;
                try {
                    done = BackupSeam.restore(repository, 1, target, NAME);
                } catch (KVStoreException e) {
                    // the state of the disk says the rest
                }
                more = target.failed() > 0;
                target.disarm();
                assertEquals(0, disk.openResources());
                if (disk.exists(NAME)) {
                    try (KVStore store = BackupSeam.open(Subdirectory.of(disk, NAME))) {
                        check(store, 1);
                    }
                } else {
                    assertTrue(!done, "it was said to be there");
                    assertTrue(BackupSeam.restore(repository, 1, disk, NAME));
                }
                assertEquals(List.of(NAME), disk.list(""));
            }
        }
    }

    /** The power is lost before each operation of a restore. The new directory is not there, or it is whole. */
    @Test
    void the_power_is_lost_in_a_restore() throws IOException {
        SimStorage repository = new SimStorage();
        try (KVStore store = store(new SimStorage())) {
            write(store, 1);
            backup(store, repository);
        }
        SimStorage disk = new SimStorage();
        List<SimStorage> images = new ArrayList<>();
        long[] seed = {1};
        disk.observe(() -> {
            images.add(disk.crash(new CrashChoice.DropAll()));
            images.add(disk.crash(new CrashChoice.KeepAll()));
            images.add(disk.crash(new CrashChoice.Random(seed[0]++, false)));
        });
        assertTrue(BackupSeam.restore(repository, 1, disk, NAME));
        disk.observe(() -> {});
        images.add(disk.crash(new CrashChoice.DropAll()));
        assertTrue(images.getLast().exists(NAME));
        int whole = 0;
        for (SimStorage image : images) {
            if (image.exists(NAME)) {
                whole++;
            } else {
                assertTrue(BackupSeam.restore(repository, 1, image, NAME));
            }
            try (KVStore store = BackupSeam.open(Subdirectory.of(image, NAME))) {
                check(store, 1);
            }
        }
        assertTrue(whole > 0 && whole < images.size(), whole + " of " + images.size());
    }

    @Test
    void what_is_not_new_is_refused() throws IOException {
        SimStorage repository = new SimStorage();
        SimStorage other = new SimStorage();
        try (KVStore store = store(new SimStorage());
                KVStore second = store(new SimStorage())) {
            write(store, 1);
            backup(store, repository);
            SimStorage target = new SimStorage();
            assertTrue(BackupSeam.restore(repository, 1, target, NAME));
            String unchanged = target.files().toString();
            refused("not empty", () -> BackupSeam.restore(repository, 1, target, NAME));
            refused("not empty", () -> BackupSeam.copy(store, target, NAME));
            assertEquals(unchanged, target.files().toString());
            target.create("letter").close();
            refused("letter", () -> BackupSeam.restore(repository, 1, target, "letter"));
            assertTrue(target.files().contains("letter"));
            target.createDirectory("empty");
            assertTrue(BackupSeam.restore(repository, 1, target, "empty"));
            refused("no backup 7", () -> BackupSeam.restore(repository, 7, target, "new"));
            refused("another store", () -> BackupSeam.backup(second, repository, Progress.NONE));
            other.createDirectory("letters");
            refused("letters", () -> BackupSeam.backup(store, other, Progress.NONE));
            refused("no repository", () -> BackupSeam.verify(other));
        }
        try (KVStore memory = KVStore.inMemory()) {
            refused("in memory", () -> BackupSeam.backup(memory, new SimStorage(), Progress.NONE));
        }
    }

    private static void refused(String why, Runnable call) {
        KVStoreException e = assertThrows(KVStoreException.class, call::run);
        assertTrue(String.valueOf(e.getMessage()).contains(why), e.getMessage());
    }
}
