package io.kvstore.cli.admin;

import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.GivenOutput;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TargetOptions;
import io.kvstore.client.KVClient;
import io.kvstore.client.error.NotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lists tables. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Prints the names of the tables of a database, or of all databases, as DB/TABLE.",
        footer = {"", "Example: kvstore table list demo"})
final class TableListCommand implements Callable<Integer> {

    private final Session session;

    @Parameters(
            arity = "0..1",
            paramLabel = "DB",
            description = "The database. Default: all, and in the shell that of 'use'")
    private @Nullable String database;

    @Mixin
    private final TargetOptions target = new TargetOptions();

    @Mixin
    private final GivenOutput output = new GivenOutput();

    TableListCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        boolean isJson = output.isJson(session);
        boolean isOfAll = database == null && session.place().database() == null;
        List<String> wanted = isOfAll ? List.of() : List.of(session.database(database));
        KVClient client = session.client(target);
        List<String> names = new ArrayList<>();
        for (String name : isOfAll ? client.databases() : wanted) {
            try {
                client.tables(name).forEach(table -> names.add(name + "/" + table));
            } catch (NotFoundException e) {
                if (!isOfAll) { // else it was dropped a moment ago, and nobody has named it
                    throw e;
                }
            }
        }
        NameList.print(session, isJson, "table", names);
        return ExitStatus.OK;
    }
}
