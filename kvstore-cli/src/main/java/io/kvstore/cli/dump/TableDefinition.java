package io.kvstore.cli.dump;

import io.kvstore.client.TableDescription;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A table without its entries.
 *
 * @param engine the name of the engine in lower case
 * @param ordered whether the table keeps the order of keys
 * @param options the name and the value of every option
 */
public record TableDefinition(
        String database, String table, String engine, boolean ordered, SortedMap<String, String> options) {

    private static final String TAKES_FILES = "sealed";
    private static final String TEMPORARY = "TEMPORARY";

    public TableDefinition {
        options = Collections.unmodifiableSortedMap(new TreeMap<>(options));
    }

    public static TableDefinition of(TableDescription table) {
        return new TableDefinition(
                table.database(), table.table(), table.engine(), table.ordered(), new TreeMap<>(table.options()));
    }

    /** This definition for another database. */
    public TableDefinition in(String other) {
        return new TableDefinition(other, table, engine, ordered, options);
    }

    /** This definition with another name of the table. */
    public TableDefinition named(String other) {
        return new TableDefinition(database, other, engine, ordered, options);
    }

    /** This definition with other values of some options. */
    public TableDefinition with(Map<String, String> others) {
        SortedMap<String, String> changed = new TreeMap<>(options);
        changed.putAll(others);
        return new TableDefinition(database, table, engine, ordered, changed);
    }

    /** Whether the table takes files instead of entries. */
    public boolean isSealed() {
        return engine.equals(TAKES_FILES);
    }

    /** Whether the table goes when its store is closed. */
    public boolean isTemporary() {
        return Boolean.parseBoolean(options.get(TEMPORARY));
    }

    /** {@code DB/TABLE}. */
    public String name() {
        return database + "/" + table;
    }
}
