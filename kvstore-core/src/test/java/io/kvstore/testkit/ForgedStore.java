package io.kvstore.testkit;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Salvage;
import io.kvstore.SalvageReport;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Progress;
import io.kvstore.error.KVStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Opens a store of which a file was forged. The verdict says whether the store has the right entries, and whether its faults
 * are named. A {@link KVStoreException} is part of the verdict; other exceptions are thrown.
 */
final class ForgedStore {

    /** What a store does. */
    enum Verdict {
        TRUE,
        REFUSED,
        /** A typed error or a finding says that something is wrong. */
        NAMED,
        LIE
    }

    private final StoreScenario scenario;
    private final StoreContent expected;
    private final SimStorage disk;
    private boolean isNamed;
    private String wrong = "";

    /**
     * A store to be opened.
     *
     * @param expected what it had before its file was forged
     */
    ForgedStore(StoreScenario scenario, StoreContent expected, SimStorage disk) {
        this.scenario = scenario;
        this.expected = expected;
        this.disk = disk;
    }

    /** What the store has that is not right; empty if there is nothing. */
    String wrong() {
        return wrong;
    }

    /** Opens, reads everything, verifies and closes. */
    Verdict read() {
        return run(true, this::read);
    }

    /** As {@link #read}. Then all entries are written again, and the store is read once more after another opening. */
    Verdict readAndWrite() {
        Verdict first = run(false, store -> {
            read(store);
            write(store);
            readValues(store);
        });
        return first == Verdict.REFUSED ? first : read();
    }

    private interface Work {
        void on(KVStore store);
    }

    private Verdict run(boolean isReadOnly, Work work) {
        StepClock clock = new StepClock();
        StepBackground background = new StepBackground(clock);
        try (KVStore store = new KVStore(
                Path.of("unused"), scenario.options(disk, clock, background).withReadOnly(isReadOnly))) {
            isNamed |= !store.recovery().damages().isEmpty() || store.recovery().tornBytes() > 0;
            work.on(store);
        } catch (KVStoreException e) {
            return Verdict.REFUSED;
        } finally {
            background.close();
        }
        return isNamed ? Verdict.NAMED : wrong.isEmpty() ? Verdict.TRUE : Verdict.LIE;
    }

    private void read(KVStore store) {
        Set<String> names = new TreeSet<>();
        for (String database : store.databases()) {
            names.add(database + "/");
            for (String name : store.tables(database)) {
                names.add(database + "/" + name);
                StoreContent.TableContent content = expected.tables().get(database + "/" + name);
                Table table = store.table(database, name);
                isNamed |= table.stats().failure() != null;
                if (content != null) {
                    typed(() -> {
                        Map<Bytes, Bytes> _ = scan(table, content.entries());
                    });
                    typed(() -> isNamed |= table.verify().total() > 0);
                }
            }
        }
        note(names.equals(expected.names()), () -> "there are " + names);
        readValues(store);
    }

    private void readValues(KVStore store) {
        forEachEntry(store, (table, key, value) -> {
            byte[] found = table.get(key.array());
            note(
                    found != null && value.equals(new Bytes(found)),
                    () -> table.name() + " has " + Arrays.toString(found) + " for " + key);
        });
    }

    private void write(KVStore store) {
        forEachEntry(store, (table, key, value) -> table.put(key.array(), value.array()));
        typed(store::checkpoint);
        for (String database : store.databases()) {
            for (String name : store.tables(database)) {
                typed(() -> store.table(database, name).optimize(Progress.NONE));
            }
        }
        typed(store::checkpoint);
    }

    private interface EntryWork {
        void on(Table table, Bytes key, Bytes value);
    }

    /** Does something for each entry of the tables that should be there. */
    private void forEachEntry(KVStore store, EntryWork work) {
        expected.databases()
                .forEach((database, tables) -> tables.forEach((name, content) -> typed(() -> {
                    Table table = store.table(database, name);
                    content.entries().forEach((key, value) -> typed(() -> work.on(table, key, value)));
                })));
    }

    private Map<Bytes, Bytes> scan(Table table, Map<Bytes, Bytes> entries) {
        int count = 0;
        Map<Bytes, Bytes> found = new HashMap<>();
        try (Cursor cursor = table.scan(KeyRange.all())) {
            while (cursor.next()) {
                Bytes key = new Bytes(cursor.key());
                Bytes value = entries.get(key);
                note(
                        value != null && value.equals(new Bytes(cursor.value())),
                        () -> table.name() + " is scanned with " + key);
                found.put(key, new Bytes(cursor.value()));
                count++;
            }
        }
        int all = count;
        note(count == entries.size(), () -> table.name() + " is scanned with " + all + " entries");
        return found;
    }

    private void note(boolean isRight, Supplier<String> what) {
        if (!isRight) {
            wrong = what.get();
        }
    }

    private void typed(Runnable work) {
        try {
            work.run();
        } catch (KVStoreException e) {
            isNamed = true;
        }
    }

    /**
     * Copies the files to a directory and salvages them. Returns whether all keys are there, or losses are named. A value that
     * differs is named by the salvage, or by the check in {@link #read}: a salvage does not look whether records follow each
     * other, which a wrong length of a value shows.
     */
    boolean isSalvagedOrNamed(Path directory) throws IOException {
        Path damaged = directory.resolve("damaged");
        for (String path : disk.files()) {
            Path file = damaged.resolve(path);
            Files.createDirectories(file.getParent());
            Files.write(file, disk.bytes(path));
        }
        try {
            SalvageReport report = Salvage.run(damaged, directory.resolve("new"), Progress.NONE);
            return !report.isWhole() || hasAll(directory.resolve("new"));
        } catch (KVStoreException e) {
            return true;
        }
    }

    /** Whether a store has the keys that are expected and no others, with their values if no check has told of a fault. */
    private boolean hasAll(Path directory) {
        boolean isAll = true;
        try (KVStore store = new KVStore(directory, KVStoreOptions.defaults())) {
            for (Map.Entry<String, StoreContent.TableContent> content :
                    expected.tables().entrySet()) {
                String[] parts = content.getKey().split("/", 2);
                wrong = "";
                Map<Bytes, Bytes> found =
                        scan(store.table(parts[0], parts[1]), content.getValue().entries());
                Set<Bytes> keys = content.getValue().entries().keySet();
                isAll &= found.keySet().equals(keys) && (wrong.isEmpty() || isNamed);
            }
        }
        return isAll;
    }
}
