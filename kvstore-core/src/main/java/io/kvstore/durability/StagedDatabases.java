package io.kvstore.durability;

import io.kvstore.error.AlreadyExistsException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The databases of a store that are not there yet. {@link Schema} changes them under its lock, and anybody may look. */
final class StagedDatabases {

    private final StoreServices services;
    private final Schema schema;
    private final Map<String, StagedDatabase> byName = new ConcurrentHashMap<>();

    StagedDatabases(StoreServices services, Schema schema) {
        this.services = services;
        this.schema = schema;
    }

    StagedDatabase begin(String name) {
        StagedDatabase begun = new StagedDatabase(services, schema, name);
        byName.put(name, begun);
        return begun;
    }

    /** Refuses a name that is being given to a database. */
    void requireNone(String name) throws IOException {
        StagedDatabase before = byName.get(name);
        if (before != null && !before.isGivenUp()) {
            throw new AlreadyExistsException("database " + name + " is being restored now; give another name, or wait");
        }
        if (before != null) {
            before.forget();
        }
    }

    void forget(StagedDatabase database) {
        byName.remove(database.name());
    }

    /** Whether a table was given up. It needs nothing of the log any more, even if the catalog still lists it. */
    boolean isGone(int tableId) {
        return byName.values().stream().anyMatch(database -> database.isGone(tableId));
    }

    List<OpenTable> tables() {
        List<OpenTable> tables = new ArrayList<>();
        byName.values().forEach(database -> tables.addAll(database.tables()));
        return tables;
    }
}
