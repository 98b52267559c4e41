package io.kvstore.testkit;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.BackupInfo;
import io.kvstore.BackupSeam;
import io.kvstore.Backups;
import io.kvstore.DatabaseRestore;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.error.KVStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup, and a copy, is the store at one lsn, whatever goes on meanwhile. */
public abstract class BackupContract {

    private static final String DATABASE = "d";
    private static final int KEYS = 300;
    private static final int WRITERS = 2;
    private static final int LARGE_VALUES = 40;

    /** Some million bytes in each table: far more than what each backup writes anew. */
    private static final int MANY_WRITES = 5_000;

    /** Tables of the store, each with its engine and parameters. */
    protected abstract List<StoreScenario.Engine> engines();

    /** Whether a small change of a table changes a small part of its files. */
    protected boolean changesLittle() {
        return true;
    }

    private static KVStoreOptions options() {
        return KVStoreOptions.defaults()
                .withWalSegmentBytes(64 << 10)
                .withCheckpointLogBytes(256 << 10)
                .withMemoryBytes(64L << 20);
    }

    private Map<String, Table> create(KVStore store) {
        store.createDB(DATABASE);
        Map<String, Table> tables = new HashMap<>();
        for (StoreScenario.Engine engine : engines()) {
            String name = "t" + tables.size();
            tables.put(
                    name,
                    store.createTable(
                            DATABASE,
                            name,
                            engine.name(),
                            StoreScenario.properties(engine, true, Durability.BUFFERED)));
        }
        return tables;
    }

    private static void check(Path directory, WriteLedger ledger, Iterable<String> names, long lsn) {
        try (KVStore restored = new KVStore(directory, options())) {
            assertEquals(0, restored.verify().total());
            for (String name : names) {
                ledger.check(restored.table(DATABASE, name), name, lsn);
            }
            // it goes on as any other store does
            Table first = restored.table(DATABASE, names.iterator().next());
            first.put("after", new byte[10]);
            assertNotNull(first.get("after"));
        }
    }

    /** Runs something while threads write. */
    private static void beside(KVStore store, Map<String, Table> tables, WriteLedger ledger, Job job) throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            SplittableRandom random = new SplittableRandom(i);
            threads.add(new Thread(() -> {
                try {
                    while (!stopped.get()) {
                        ledger.write(store, tables, random, KEYS);
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            }));
        }
        threads.forEach(Thread::start);
        try {
            job.run();
        } finally {
            stopped.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertNull(failure.get());
    }

    /** Something that may fail. */
    @FunctionalInterface
    private interface Job {
        void run() throws Exception;
    }

    @Test
    void a_backup_beside_writers_is_one_moment(@TempDir Path directory) throws Exception {
        WriteLedger ledger = new WriteLedger();
        Path repository = directory.resolve("repository");
        List<BackupInfo> made = new ArrayList<>();
        Map<String, Table> tables;
        try (KVStore store = new KVStore(directory.resolve("store"), options())) {
            tables = create(store);
            beside(store, tables, ledger, () -> {
                for (int i = 0; i < 4; i++) {
                    made.add(store.backup(repository));
                    assertEquals(0, store.stats().holds().count());
                }
            });
            assertEquals(0, store.verify().total());
        }
        assertEquals(made, Backups.list(repository));
        assertClean(Backups.verify(repository));
        for (BackupInfo backup : made) {
            Path restored = Files.createDirectory(directory.resolve("restored" + backup.id()));
            Backups.restore(repository, backup.id(), restored);
            check(restored, ledger, tables.keySet(), backup.lsn());
        }
        Path letter = Files.writeString(directory.resolve("letter"), "dear");
        assertThrows(KVStoreException.class, () -> Backups.restore(repository, 1, letter));
        assertEquals("dear", Files.readString(letter));
        assertEquals(List.of(1L, 2L, 3L), Backups.keepNewest(repository, 1));
        assertClean(Backups.verify(repository));
        Path last = directory.resolve("last");
        Backups.restore(repository, 4, last);
        check(last, ledger, tables.keySet(), made.getLast().lsn());
    }

    private static void assertClean(Findings findings) {
        assertEquals(0, findings.total(), () -> findings.kept().toString());
    }

    @Test
    void a_copy_beside_writers_is_one_moment_and_stays_so(@TempDir Path directory) throws Exception {
        WriteLedger ledger = new WriteLedger();
        Path copy = directory.resolve("copy");
        long lsn;
        Map<String, Table> tables;
        KVStoreOptions withMappedLog = options().withDurability(Durability.BUFFERED);
        try (KVStore store = new KVStore(directory.resolve("store"), withMappedLog)) {
            tables = create(store);
            beside(store, tables, ledger, () -> {
                SplittableRandom random = new SplittableRandom(WRITERS);
                while (store.stats().checkpoints().count() < 3) {
                    ledger.write(store, tables, random, KEYS);
                }
                store.checkpointTo(copy);
            });
            DirectoryBytes before = DirectoryBytes.of(copy);
            beside(store, tables, ledger, () -> {
                for (int i = 0; i < 3; i++) {
                    store.checkpoint();
                    for (Table table : tables.values()) {
                        table.optimize(Progress.NONE);
                    }
                }
            });
            before.requireSame(copy);
            try (KVStore opened = new KVStore(copy, options())) {
                lsn = opened.stats().log().lastLsn();
            }
        }
        check(copy, ledger, tables.keySet(), lsn);
    }

    /** Of tables that come and go a backup has those of its moment, with what they had. */
    @Test
    void tables_that_are_made_emptied_and_dropped_meanwhile(@TempDir Path directory) throws Exception {
        WriteLedger ledger = new WriteLedger();
        Path repository = directory.resolve("repository");
        List<BackupInfo> made = new ArrayList<>();
        List<Life> lives = new ArrayList<>();
        Map<String, Table> tables;
        try (KVStore store = new KVStore(directory.resolve("store"), options())) {
            tables = create(store);
            AtomicBoolean stopped = new AtomicBoolean();
            AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
            Thread changes = new Thread(() -> {
                try {
                    while (!stopped.get()) {
                        lives.add(live(store, ledger, tables, lives.size()));
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            changes.start();
            try {
                for (int i = 0; i < 6; i++) {
                    made.add(store.backup(repository));
                }
            } finally {
                stopped.set(true);
                changes.join();
            }
            assertNull(failure.get());
        }
        for (BackupInfo backup : made) {
            Path restored = directory.resolve("restored" + backup.id());
            Backups.restore(repository, backup.id(), restored);
            try (KVStore store = new KVStore(restored, options())) {
                assertEquals(0, store.verify().total());
                tables.keySet().forEach(name -> ledger.check(store.table(DATABASE, name), name, backup.lsn()));
                lives.forEach(life -> life.check(store, ledger, backup.lsn()));
            }
        }
    }

    /**
     * The life of a table.
     *
     * @param firstLsn of the first write to it
     * @param emptiedLsn of the last write before it was emptied
     * @param againLsn of the first write after that
     * @param lastLsn of the last write before it was dropped
     * @param goneLsn of a write after that
     */
    private record Life(String name, long firstLsn, long emptiedLsn, long againLsn, long lastLsn, long goneLsn) {

        void check(KVStore store, WriteLedger ledger, long lsn) {
            boolean isThere = store.tables(DATABASE).contains(name);
            if (lsn >= firstLsn && lsn < lastLsn) {
                assertTrue(isThere, name + " lived at lsn " + lsn + ": " + this);
            }
            if (lsn >= goneLsn) {
                assertFalse(isThere, name + " was gone at lsn " + lsn + ": " + this);
            }
            if (isThere) {
                Table table = store.table(DATABASE, name);
                boolean isOld = lsn < againLsn && ledger.agrees(table, name, lsn);
                boolean isNew = lsn >= emptiedLsn && ledger.agrees(table, name + "'", lsn);
                assertTrue(isOld || isNew, name + " is wrong at lsn " + lsn + ": " + this);
            }
        }
    }

    private Life live(KVStore store, WriteLedger ledger, Map<String, Table> tables, int number) {
        SplittableRandom random = new SplittableRandom(number);
        StoreScenario.Engine engine = engines().get(number % engines().size());
        String name = "passing" + number;
        Table table = store.createTable(
                DATABASE, name, engine.name(), StoreScenario.properties(engine, true, Durability.BUFFERED));
        Map<String, Table> both = new HashMap<>(tables);
        both.put(name, table);
        long first = ledger.write(store, both, random, KEYS);
        long emptied = ledger.write(store, both, random, KEYS);
        table.truncate();
        both.remove(name);
        both.put(name + "'", table);
        long again = ledger.write(store, both, random, KEYS);
        long last = ledger.write(store, both, random, KEYS);
        store.dropTable(DATABASE, name);
        return new Life(name, first, emptied, again, last, ledger.write(store, tables, random, KEYS));
    }

    /** A database of a backup comes back beside writers, as it was at the lsn of the backup. */
    @Test
    void a_database_comes_back_beside_writers(@TempDir Path directory) throws Exception {
        WriteLedger ledger = new WriteLedger();
        Path repository = directory.resolve("repository");
        BackupInfo backup;
        Map<String, Table> tables;
        try (KVStore store = new KVStore(directory.resolve("store"), options())) {
            tables = create(store);
            for (int i = 0; i < 500; i++) {
                ledger.write(store, tables, new SplittableRandom(i), KEYS);
            }
            backup = store.backup(repository);
            DatabaseRestore restore = new DatabaseRestore(backup.id(), DATABASE, "again");
            beside(
                    store,
                    tables,
                    ledger,
                    () -> assertTrue(Backups.restoreDatabase(repository, restore, store, Progress.NONE)));
            tables.keySet().forEach(name -> ledger.check(store.table("again", name), name, backup.lsn()));
            assertEquals(0, store.verify().total());
        }
        try (KVStore again = new KVStore(directory.resolve("store"), options())) {
            tables.keySet().forEach(name -> ledger.check(again.table("again", name), name, backup.lsn()));
        }
    }

    /** A second backup writes what changed, and it may be restored, go on, and be backed up to the same repository. */
    @Test
    void backups_are_as_small_as_the_changes(@TempDir Path directory) throws Exception {
        WriteLedger ledger = new WriteLedger();
        Path repository = directory.resolve("repository");
        SplittableRandom random = new SplittableRandom(1);
        try (KVStore store = new KVStore(directory.resolve("store"), options())) {
            Map<String, Table> tables = create(store);
            for (int i = 0; i < MANY_WRITES; i++) {
                ledger.write(store, tables, random, MANY_WRITES);
            }
            BackupInfo full = store.backup(repository);
            smallBackup(store, repository, full.writtenBytes() / 4, () -> {});
            long most = changesLittle() ? full.writtenBytes() / 2 : Long.MAX_VALUE;
            AtomicLong lsn = new AtomicLong();
            BackupInfo changed =
                    smallBackup(store, repository, most, () -> lsn.set(ledger.write(store, tables, random, 10)));
            assertEquals(lsn.get(), changed.lsn());
            Path restored = directory.resolve("restored");
            Backups.restore(repository, changed.id(), restored);
            try (KVStore other = new KVStore(restored, options())) {
                Table table = other.table(DATABASE, "t0");
                table.put("only here", new byte[3_000]);
                store.table(DATABASE, "t0").put("only there", new byte[3_000]);
                other.backup(repository);
                store.backup(repository);
            }
            assertClean(Backups.verify(repository));
            long last = changed.id() + 2;
            for (long id = last - 1; id <= last; id++) {
                Path again = directory.resolve("again" + id);
                Backups.restore(repository, id, again);
                try (KVStore opened = new KVStore(again, options())) {
                    Table table = opened.table(DATABASE, "t0");
                    assertEquals(id == last - 1, table.get("only here") != null);
                    assertEquals(id == last, table.get("only there") != null);
                    assertEquals(0, opened.verify().total());
                }
            }
        }
    }

    /**
     * Makes a change and a backup, until a backup has few new bytes. A table goes on with what it owes to earlier writes, so
     * its files may change more than its entries for a while. That ends when few entries are written.
     */
    private static BackupInfo smallBackup(KVStore store, Path repository, long mostBytes, Runnable change) {
        BackupInfo last;
        int attempts = 0;
        do {
            change.run();
            last = store.backup(repository);
            attempts++;
        } while (last.writtenBytes() >= mostBytes && attempts < 100);
        assertTrue(last.writtenBytes() < mostBytes, last + " should have less than " + mostBytes + " new bytes");
        return last;
    }

    /** A backup may be ended, and so does it when the store is closed; nothing of it is left then. */
    @Test
    void a_backup_that_is_ended_leaves_nothing(@TempDir Path directory) throws Exception {
        SimStorage repository = new SimStorage();
        WriteLedger ledger = new WriteLedger();
        KVStore store = new KVStore(directory.resolve("store"), options());
        Map<String, Table> tables = create(store);
        for (int i = 0; i < 200; i++) {
            ledger.write(store, tables, new SplittableRandom(i), KEYS);
        }
        assertNull(BackupSeam.backup(store, repository, (done, all) -> {
            assertEquals(1, store.stats().holds().count());
            return done == 0;
        }));
        assertEquals(List.of(), BackupSeam.ids(repository));
        assertEquals(0, store.stats().holds().count());
        assertTrue(repository.files().stream().noneMatch(file -> file.contains("parts/")));
        AtomicReference<@Nullable Thread> closing = new AtomicReference<>();
        KVStoreException refused = assertThrows(
                KVStoreException.class,
                () -> BackupSeam.backup(store, repository, (done, all) -> {
                    if (closing.get() == null) {
                        Thread closer = new Thread(store::close);
                        closing.set(closer);
                        closer.start();
                        join(closer);
                    }
                    return true;
                }));
        assertTrue(String.valueOf(refused.getMessage()).contains("closed"), refused.getMessage());
        requireNonNull(closing.get()).join();
        assertEquals(List.of(), BackupSeam.ids(repository));
        assertTrue(repository.files().stream().noneMatch(file -> file.contains("parts/")));
        assertEquals(0, repository.openResources());
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Tables without a log are as their last checkpoint left them; temporary ones are not there. */
    @Test
    void tables_without_a_log(@TempDir Path directory) throws IOException {
        StoreScenario.Engine engine = engines().getFirst();
        Path copy = directory.resolve("copy");
        try (KVStore store = new KVStore(directory.resolve("store"), options())) {
            store.createDB(DATABASE);
            Table unlogged = store.createTable(
                    DATABASE, "unlogged", engine.name(), StoreScenario.properties(engine, false, Durability.BUFFERED));
            for (int i = 0; i < 500; i++) {
                unlogged.put("key" + i, new byte[i]);
            }
            store.checkpointTo(copy);
        }
        try (KVStore opened = new KVStore(copy, options())) {
            assertEquals(500, opened.table(DATABASE, "unlogged").count(KeyRange.all()));
            assertEquals(0, opened.verify().total());
        }
    }

    /**
     * A store that was killed may have a file that nothing refers to and that a copy shares. Replay takes such files for new
     * values, but not that one.
     */
    @Test
    void a_linked_file_that_a_crash_left_is_not_written_over(@TempDir Path directory) throws IOException {
        KVStoreOptions patient = options().withCheckpointLogBytes(256L << 20).withWalSegmentBytes(4 << 20);
        Path copy = directory.resolve("copy");
        Path killed = directory.resolve("killed");
        byte[] value = new byte[200_000];
        Map<String, Table> tables;
        try (KVStore store = new KVStore(directory.resolve("store"), patient)) {
            tables = create(store);
            fill(tables.values(), "old", value);
            store.checkpointTo(copy);
            fill(tables.values(), "new", value);
            DirectoryBytes.copy(directory.resolve("store"), killed);
        }
        for (String file : DirectoryBytes.of(copy).files().keySet()) {
            if (file.endsWith(".val")) {
                Path inCopy = copy.resolve(file);
                Path left = firstName(requireNonNull(killed.resolve(file).getParent()));
                if (!Files.exists(left)) {
                    Files.createLink(left, inCopy);
                }
            }
        }
        DirectoryBytes before = DirectoryBytes.of(copy);
        try (KVStore store = new KVStore(killed, patient)) {
            for (String name : tables.keySet()) {
                assertEquals(2 * LARGE_VALUES, store.table(DATABASE, name).count(KeyRange.all()));
            }
            assertEquals(0, store.verify().total());
        }
        before.requireSame(copy);
    }

    private static void fill(Iterable<Table> tables, String prefix, byte[] value) {
        for (Table table : tables) {
            for (int i = 0; i < LARGE_VALUES; i++) {
                table.put(prefix + i, value);
            }
        }
    }

    /** The name of a segment that no segment has, and that comes before all others. */
    private static Path firstName(Path table) throws IOException {
        try (Stream<Path> files = Files.list(table)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.endsWith(".sst"))
                    .sorted()
                    .findFirst()
                    .map(name -> table.resolve(name.replace(".sst", ".val")))
                    .orElse(table.resolve("00000000.val"));
        }
    }
}
