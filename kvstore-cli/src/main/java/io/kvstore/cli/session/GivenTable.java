package io.kvstore.cli.session;

import io.kvstore.client.ClientTable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say which table is meant, and where it is. */
public final class GivenTable {

    @Option(
            names = {"-t", "--table"},
            paramLabel = "DB/TABLE",
            description = "The table. Default: KVSTORE_TABLE, and in the shell the table of 'use'")
    private @Nullable String table;

    @Mixin
    private final TargetOptions target = new TargetOptions();

    public TargetOptions target() {
        return target;
    }

    /** The name of the table that is meant. */
    public TableName name(Session session) {
        return session.table(table, target);
    }

    /** The table that is meant. It need not exist. */
    public ClientTable open(Session session) {
        TableName name = name(session);
        return session.client(target).table(name.database(), name.table());
    }
}
