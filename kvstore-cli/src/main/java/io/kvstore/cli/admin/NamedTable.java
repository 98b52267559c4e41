package io.kvstore.cli.admin;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableName;
import io.kvstore.cli.session.TargetOptions;
import io.kvstore.client.ClientTable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The table that a command is about, as its argument. */
final class NamedTable {

    @Parameters(
            arity = "0..1",
            paramLabel = "DB/TABLE",
            description = "The table. Default: KVSTORE_TABLE, and in the shell the table of 'use'")
    private @Nullable String table;

    @Mixin
    private final TargetOptions target = new TargetOptions();

    TargetOptions target() {
        return target;
    }

    TableName name(Session session) {
        return session.table(table, target);
    }

    /** The table as it was named; where a thing is destroyed or made, nothing else may be meant. */
    TableName explicitName(Session session) {
        if (table == null) {
            throw new CommandFailure(ExitStatus.USAGE, "name the table as DB/TABLE");
        }
        return name(session);
    }

    ClientTable open(Session session) {
        TableName name = name(session);
        return session.client(target).table(name.database(), name.table());
    }
}
