package io.kvstore.testkit;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a store holds: databases, tables, entries. */
record StoreContent(Map<String, Map<String, TableContent>> databases) {

    /** The entries of one table by key. Wrapped arrays, because those can be compared. */
    record TableContent(Map<Bytes, Bytes> entries) {
        TableContent() {
            this(new HashMap<>());
        }

        void add(byte[] key, byte[] value) {
            if (entries.put(new Bytes(key), new Bytes(value)) != null) {
                throw new AssertionError("a scan gave a key twice");
            }
        }
    }

    /** Names of databases and tables, as {@code db/table} and {@code db/}. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        databases.forEach((database, tables) -> {
            names.add(database + "/");
            tables.keySet().forEach(table -> names.add(database + "/" + table));
        });
        return names;
    }

    /** Every table by {@code db/table}. */
    Map<String, TableContent> tables() {
        Map<String, TableContent> all = new TreeMap<>();
        databases.forEach(
                (database, tables) -> tables.forEach((table, content) -> all.put(database + "/" + table, content)));
        return all;
    }

    /** In what another content differs from this one, in a few words. */
    String difference(StoreContent other) {
        if (!names().equals(other.names())) {
            return "names " + names() + " became " + other.names();
        }
        Map<String, TableContent> others = other.tables();
        for (Map.Entry<String, TableContent> table : tables().entrySet()) {
            TableContent now = others.get(table.getKey());
            if (!table.getValue().equals(now)) {
                return "table " + table.getKey() + " had "
                        + table.getValue().entries().size() + " entries and has "
                        + (now == null ? 0 : now.entries().size()) + ", or they differ";
            }
        }
        return "nothing";
    }
}
