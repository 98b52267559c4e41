package io.kvstore.testkit;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.io.Storage;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** An open store whose background work and time are stepped by the test. */
final class StoreSession implements AutoCloseable {

    private final Storage storage;
    private final StepClock clock;
    private final StepBackground background;
    private final KVStore store;

    private StoreSession(StoreScenario scenario, Storage storage) {
        this.storage = storage;
        this.clock = new StepClock();
        this.background = new StepBackground(clock);
        this.store = new KVStore(Path.of("unused"), scenario.options(storage, clock, background));
    }

    static StoreSession open(StoreScenario scenario, Storage storage) {
        return new StoreSession(scenario, storage);
    }

    KVStore store() {
        return store;
    }

    StepBackground background() {
        return background;
    }

    long nanos() {
        return clock.nanoTime();
    }

    /** Every entry of every table that can be read, by scanning. */
    StoreContent content() {
        Map<String, Map<String, StoreContent.TableContent>> databases = new TreeMap<>();
        for (String database : store.databases()) {
            Map<String, StoreContent.TableContent> tables = new TreeMap<>();
            for (String name : store.tables(database)) {
                tables.put(name, contentOf(store.table(database, name)));
            }
            databases.put(database, tables);
        }
        return new StoreContent(databases);
    }

    static StoreContent.TableContent contentOf(Table table) {
        StoreContent.TableContent content = new StoreContent.TableContent();
        try (Cursor cursor = table.scan(KeyRange.all())) {
            while (cursor.next()) {
                content.add(cursor.key(), cursor.value());
            }
        }
        return content;
    }

    /** Closes the store; fails if something stays open or a task failed. */
    @Override
    public void close() {
        store.close();
        background.close();
        if (storage.openResources() != 0) {
            throw new AssertionError(storage.openResources() + " files, mappings or locks are open after close"
                    + (store.failure() == null ? "" : "; the store had failed: " + store.failure()));
        }
        if (!background.failures().isEmpty()) {
            throw new AssertionError(
                    "a background task failed", background.failures().get(0));
        }
    }

    /** Leaves the store as it is, as a crash does. */
    void abandon() {
        background.close();
    }
}
