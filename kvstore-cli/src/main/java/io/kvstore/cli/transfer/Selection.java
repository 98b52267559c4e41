package io.kvstore.cli.transfer;

import io.kvstore.cli.dump.TableDefinition;
import io.kvstore.cli.session.Names;
import io.kvstore.client.KVClient;
import io.kvstore.client.TableDescription;
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

    private static final String TEMPORARY = "TEMPORARY";

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
        for (String name : names.isEmpty() ? client.databases() : names) {
            int slash = name.indexOf('/');
            String database = slash < 0 ? name : name.substring(0, slash);
            databases.add(database);
            List<String> wanted = slash < 0 ? client.tables(database) : List.of(name.substring(slash + 1));
            for (String table : wanted) {
                TableDescription found = client.table(database, table).describe();
                if (slash >= 0 || !isTemporary(found)) {
                    tables.put(database + "/" + table, found);
                }
            }
        }
        return new Found(databases, List.copyOf(tables.values()));
    }

    private static boolean isTemporary(TableDescription table) {
        return Boolean.parseBoolean(table.options().get(TEMPORARY));
    }

    /** The definitions of what was found. */
    static List<TableDefinition> definitions(Found found) {
        List<TableDefinition> definitions = new ArrayList<>();
        found.tables().forEach(table -> definitions.add(TableDefinition.of(table)));
        return definitions;
    }
}
