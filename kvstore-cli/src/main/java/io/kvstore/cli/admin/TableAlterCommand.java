package io.kvstore.cli.admin;

import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableName;
import io.kvstore.cli.session.TargetOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Changes options of a table. */
@Command(
        name = "alter",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Gives options of a table other values while it is in use, all of them or none. An option that stays as"
                        + " long as the table lives is refused with status 2.",
        footer = {"", "Example: kvstore table alter demo/names DURABILITY=BUFFERED MAX_VALUE_BYTES=1000000"})
final class TableAlterCommand implements Callable<Integer> {

    private final Session session;

    @Parameters(index = "0", paramLabel = "DB/TABLE", description = "The table.")
    private String table = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "NAME=VALUE",
            description = "An option of the table and its new value, such as DURABILITY=BUFFERED.")
    private Map<String, String> options = new LinkedHashMap<>();

    @Mixin
    private final TargetOptions target = new TargetOptions();

    TableAlterCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        TableName name = session.table(table, target);
        session.client(target).table(name.database(), name.table()).alter(options);
        return ExitStatus.OK;
    }
}
