package io.kvstore.cli.admin;

import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableName;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates a table. */
@Command(
        name = "create",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Creates a table. One that is there with this engine and these options stays as it is; another"
                + " definition ends with status 4.",
        footer = {"", "Example: kvstore table create demo/names --engine lsm -o DURABILITY=BUFFERED"})
final class TableCreateCommand implements Callable<Integer> {

    private final Session session;

    @Mixin
    private final NamedTable table = new NamedTable();

    @Option(
            names = "--engine",
            paramLabel = "NAME",
            defaultValue = "lsm",
            description = "lsm, bplus, hash or sealed. Default: ${DEFAULT-VALUE}")
    private String engine = "lsm";

    @Option(
            names = {"-o", "--option"},
            paramLabel = "NAME=VALUE",
            description = "An option of the table, such as DURABILITY=BUFFERED. May be given again.")
    private Map<String, String> options = new LinkedHashMap<>();

    TableCreateCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        TableName name = table.explicitName(session);
        session.client(table.target()).createTable(name.database(), name.table(), engine, options);
        return ExitStatus.OK;
    }
}
