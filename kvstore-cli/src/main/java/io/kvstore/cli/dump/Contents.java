package io.kvstore.cli.dump;

import java.util.List;

/**
 * What a dump has.
 *
 * @param databases the names of the databases, of which some may have no table
 * @param tables the tables in the order in which their entries come
 */
public record Contents(List<String> databases, List<TableDefinition> tables) {

    public Contents {
        databases = List.copyOf(databases);
        tables = List.copyOf(tables);
    }
}
