package io.kvstore.cli.session;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import org.jspecify.annotations.Nullable;

/** A table by its names. */
public record TableName(String database, String table) {

    /**
     * Reads {@code DB/TABLE}, or {@code TABLE} where a database is known.
     *
     * @param currentDatabase the database that is meant if none is named
     */
    static TableName parse(String given, @Nullable String currentDatabase) {
        int slash = given.indexOf('/');
        if (slash < 0 && currentDatabase == null) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "\"" + given + "\" names no database; give DB/TABLE, such as demo/" + given);
        }
        String database = slash < 0 ? String.valueOf(currentDatabase) : given.substring(0, slash);
        return new TableName(Names.checked("database", database), Names.checked("table", given.substring(slash + 1)));
    }

    @Override
    public String toString() {
        return database + "/" + table;
    }
}
