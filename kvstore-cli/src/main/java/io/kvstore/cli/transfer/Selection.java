package io.kvstore.cli.transfer;

import io.kvstore.cli.dump.TableDefinition;
import io.kvstore.cli.session.Names;
import io.kvstore.client.KVClient;
import io.kvstore.client.TableDescription;
import io.kvstore.client.error.NotFoundException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The databases and tables that are meant.
 *
 * @param names {@code DB} or {@code DB/TABLE} each; none for all databases
 */
record Selection(List<String> names) {

    /** What a store has of a selection at one moment. */
    record Found(Set<String> databases, List<TableDescription> tables) {}

    /** The selection that words of the command line name. */
    static Selection of(List<String> words) {
        for (String word : words) {
            int slash = word.indexOf('/');
            Names.checked("database", slash < 0 ? word : word.substring(0, slash));
            if (slash >= 0) {
                Names.checked("table", word.substring(slash + 1));
            }
        }
        return new Selection(List.copyOf(words));
    }

    /** What the store has of this now. A name that was given must be there. */
    Found find(KVClient client) {
        Set<String> databases = new LinkedHashSet<>();
        Map<String, TableDescription> tables = new LinkedHashMap<>();
        if (names.isEmpty()) {
            client.databases().forEach(database -> findAll(client, database, databases, tables));
        }
        for (String name : names) {
            int slash = name.indexOf('/');
            if (slash < 0) {
                findAll(client, name, databases, tables);
                continue;
            }
            String database = name.substring(0, slash);
            databases.add(database);
            tables.put(name, described(client, database, name.substring(slash + 1)));
        }
        return new Found(databases, List.copyOf(tables.values()));
    }

    /** Adds a database with its tables. What was not named may be dropped meanwhile. */
    private void findAll(
            KVClient client, String database, Set<String> databases, Map<String, TableDescription> tables) {
        List<String> all;
        try {
            all = client.tables(Names.checked("database", database));
        } catch (NotFoundException e) {
            if (names.isEmpty()) {
                return;
            }
            throw e;
        }
        databases.add(database);
        for (String table : all) {
            TableDescription found;
            try {
                found = described(client, database, table);
            } catch (NotFoundException _) {
                continue;
            }
            if (!TableDefinition.of(found).isTemporary()) {
                tables.putIfAbsent(database + "/" + table, found);
            }
        }
    }

    /** Describes a table. Names of a server are checked: they become paths. */
    private static TableDescription described(KVClient client, String database, String table) {
        TableDescription found =
                client.table(database, Names.checked("table", table)).describe();
        Names.checked("database", found.database());
        Names.checked("table", found.table());
        return found;
    }

    /** The definitions of what was found. */
    static List<TableDefinition> definitions(Found found) {
        List<TableDefinition> definitions = new ArrayList<>();
        found.tables().forEach(table -> definitions.add(TableDefinition.of(table)));
        return definitions;
    }
}
