package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StoreLockedException;
import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.RealStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A store in a file system that is not the operating system's, and that lacks what stores can do without. */
public abstract class FileSystemContract {

    private static final int ROUNDS = 4;
    private static final int STEPS = 50;
    private static final int ENTRIES = Sweeps.count(800, 2_000);
    private static final int MOST_WAITS = 5;

    /** Verification reads all values. Each get of a file that is not mapped costs a change of threads. */
    private static final int GET_EVERY = Sweeps.count(5, 1);

    @BeforeAll
    static void keepQuiet() {
        MemoryFileSystem.silenceNotices();
    }

    /** The engine of the tables. */
    protected abstract StoreScenario.Engine engine();

    private static KVStoreOptions options(Durability durability) {
        return KVStoreOptions.defaults()
                .withDurability(durability)
                .withStallTimeoutMillis(60_000)
                .withWalSegmentBytes(256 << 10)
                .withCheckpointLogBytes(1 << 20)
                .withMemoryBytes(64 << 20);
    }

    private Table newTable(KVStore store, Durability durability) {
        store.createDB("d");
        return store.createTable("d", "t", engine().name(), StoreScenario.properties(engine(), true, durability));
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number * 0x9E3779B1).array();
    }

    private static byte[] value(int number) {
        return EngineContract.value(number, number % 700);
    }

    private static void fill(Table table) {
        for (int i = 0; i < ENTRIES; i++) {
            table.put(key(i), value(i));
        }
    }

    private static void check(KVStore store) {
        Table table = store.table("d", "t");
        assertEquals(ENTRIES, table.count(KeyRange.all()));
        for (int i = 0; i < ENTRIES; i += GET_EVERY) {
            assertArrayEquals(value(i), table.get(key(i)));
        }
        assertEquals(0, store.verify().total());
    }

    /** After each round a copy is opened, of which what was acknowledged is there: a kill would leave nothing else. */
    @ParameterizedTest
    @CsvSource({"UNIX, SYNC", "UNIX, BUFFERED", "POSIX, BUFFERED", "WINDOWS, SYNC", "WINDOWS, BUFFERED"})
    void acknowledged_operations_survive_kills(MemoryFileSystem kind, Durability durability) throws Exception {
        StoreScenario scenario = StoreScenario.of(durability, engine());
        try (FileSystem files = kind.make()) {
            Path directory = files.getPath("parent", "store");
            StoreLedger ledger = new StoreLedger();
            StoreSession session = StoreSession.open(scenario, new RealStorage(directory));
            StoreWorkload workload = new StoreWorkload(scenario, session, ledger, 1, new Tally());
            workload.prepare();
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < STEPS; i++) {
                    workload.step();
                }
                assertEquals(List.of(), workload.errors());
                try (FileSystem other = kind.make()) {
                    checkCopy(scenario, MemoryFileSystem.copy(directory, other.getPath("copy")), ledger);
                }
            }
            assertTrue(workload.close());
            checkCopy(scenario, directory, ledger);
        }
    }

    private static void checkCopy(StoreScenario scenario, Path directory, StoreLedger ledger) throws IOException {
        try (StoreSession session = StoreSession.open(scenario, new RealStorage(directory))) {
            LedgerCheck.check(ledger, session.content(), ledger.loggedLeast(false));
            assertEquals(0, session.store().verify().total());
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryFileSystem.class)
    void open_close_and_open_again(MemoryFileSystem kind) throws IOException {
        try (FileSystem files = kind.make()) {
            Path directory = files.getPath("store");
            for (Durability durability : Durability.values()) {
                try (KVStore store = new KVStore(directory, options(durability))) {
                    if (store.databases().isEmpty()) {
                        fill(newTable(store, durability));
                    }
                    check(store);
                    store.checkpoint();
                    assertNull(store.failure());
                }
            }
            try (KVStore store = new KVStore(directory, options(Durability.SYNC))) {
                check(store);
            }
        }
    }

    /** A log that was mapped is read, and written on, where nothing is mapped; and the other way round. */
    @Test
    void a_store_moves_from_one_file_system_to_another(@TempDir Path system) throws IOException {
        KVStoreOptions options = options(Durability.BUFFERED);
        try (FileSystem files = MemoryFileSystem.WINDOWS.make()) {
            Path inMemory = files.getPath("store");
            Path first = system.resolve("first");
            try (KVStore store = new KVStore(first, options)) {
                assertEquals(Set.of(), store.stats().missingAbilities());
                fill(newTable(store, Durability.BUFFERED));
            }
            MemoryFileSystem.copy(first, inMemory);
            try (KVStore store = new KVStore(inMemory, options)) {
                check(store);
                store.table("d", "t").put(key(7), value(7));
            }
            Path second = MemoryFileSystem.copy(inMemory, system.resolve("second"));
            try (KVStore store = new KVStore(second, options)) {
                check(store);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryFileSystem.class)
    void what_is_missing_is_told(MemoryFileSystem kind) throws IOException {
        Set<FileSystemAbility> missing = EnumSet.allOf(FileSystemAbility.class);
        if (kind.hasPermissions()) {
            missing.remove(FileSystemAbility.OWNERS_ONLY);
        }
        try (FileSystem files = kind.make();
                KVStore store = new KVStore(files.getPath("store"), options(Durability.BUFFERED))) {
            assertEquals(missing, store.stats().missingAbilities());
            fill(newTable(store, Durability.BUFFERED));
            check(store);
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryFileSystem.class)
    void one_store_has_a_directory_at_a_time(MemoryFileSystem kind) throws IOException {
        KVStoreOptions options = options(Durability.SYNC);
        KVStoreOptions toRead = options.withReadOnly(true);
        try (FileSystem files = kind.make();
                FileSystem others = kind.make()) {
            Path directory = files.getPath("store");
            try (KVStore store = new KVStore(directory, options)) {
                for (Path path :
                        List.of(directory, directory.toAbsolutePath(), files.getPath("store", "..", "store"))) {
                    StoreLockedException refusal =
                            assertThrows(StoreLockedException.class, () -> new KVStore(path, options));
                    assertEquals(ProcessHandle.current().pid(), refusal.ownerPid());
                    assertThrows(StoreLockedException.class, () -> new KVStore(path, toRead));
                }
                new KVStore(others.getPath("store"), options).close();
                fill(newTable(store, Durability.SYNC));
            }
            try (KVStore reader = new KVStore(directory, toRead);
                    KVStore second = new KVStore(directory, toRead)) {
                check(reader);
                check(second);
                assertThrows(StoreLockedException.class, () -> new KVStore(directory, options));
            }
            new KVStore(directory, options).close();
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryFileSystem.class)
    void read_only_writes_nothing(MemoryFileSystem kind) throws IOException {
        KVStoreOptions toRead = options(Durability.SYNC).withReadOnly(true);
        try (FileSystem files = kind.make()) {
            Path directory = files.getPath("store");
            assertThrows(InvalidRequestException.class, () -> new KVStore(directory, toRead));
            try (KVStore store = new KVStore(directory, options(Durability.SYNC))) {
                fill(newTable(store, Durability.SYNC));
            }
            Map<String, Bytes> before = MemoryFileSystem.content(files.getPath("."));
            try (KVStore store = new KVStore(directory, toRead)) {
                check(store);
                assertEquals(
                        EnumSet.of(FileSystemAbility.MAPPED_FILES, FileSystemAbility.FILE_LOCKS),
                        store.stats().missingAbilities());
            }
            assertEquals(before, MemoryFileSystem.content(files.getPath(".")));
        }
    }

    /** Writes are refused while there is no room, and go on when there is: with the next segment, without opening again. */
    @ParameterizedTest
    @EnumSource(MemoryFileSystem.class)
    void a_full_file_system_refuses_and_resumes(MemoryFileSystem kind) throws IOException {
        try (FileSystem files = kind.make(24 << 20)) {
            Path ballast = files.getPath("ballast");
            Files.write(ballast, new byte[12 << 20]);
            Path directory = files.getPath("store");
            int stored;
            KVStoreOptions impatient = options(Durability.SYNC).withStallTimeoutMillis(2_000);
            try (KVStore store = new KVStore(directory, impatient)) {
                Table table = newTable(store, Durability.SYNC);
                stored = putUntilFull(table);
                assertNull(store.failure());
                Files.delete(ballast);
                putWhenThereIsRoom(table, stored);
                stored++;
                assertStored(table, stored);
                assertNull(store.failure());
            }
            try (KVStore store = new KVStore(directory, options(Durability.SYNC))) {
                assertStored(store.table("d", "t"), stored);
                assertEquals(0, store.verify().total());
            }
        }
    }

    private static byte[] large(int number) {
        return EngineContract.value(number, 10_000);
    }

    /** A writer may wait in vain for a flush that finds no room, while the log has some left. */
    private static int putUntilFull(Table table) {
        int stored = 0;
        for (int tries = 0; tries < stored + MOST_WAITS; tries++) {
            try {
                table.put(key(stored), large(stored));
                stored++;
            } catch (DiskFullException e) {
                return stored;
            } catch (OverloadedException e) {
                // tries again, a few times
            }
        }
        throw new AssertionError("the file system never got full");
    }

    /** A refused write may have made background work pause for a moment. */
    private static void putWhenThereIsRoom(Table table, int number) {
        for (int tries = 0; ; tries++) {
            try {
                table.put(key(number), large(number));
                return;
            } catch (DiskFullException | OverloadedException e) {
                assertTrue(tries < 1_000, () -> "there is room, and still: " + e);
                Thread.onSpinWait();
            }
        }
    }

    private static void assertStored(Table table, int count) {
        assertEquals(count, table.count(KeyRange.all()));
        for (int i = 0; i < count; i += 17) {
            assertArrayEquals(large(i), table.get(key(i)));
        }
    }
}
