package io.kvstore.cli.admin;

import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.GivenOutput;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableFigures;
import io.kvstore.client.ClientTable;
import io.kvstore.client.TableDescription;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Describes a table. */
@Command(
        name = "info",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Tells the engine, the options and the size of a table. The number of entries is an estimate;"
                + " 'kvstore count' counts.",
        footer = {"", "Example: kvstore table info demo/names --output json"})
final class TableInfoCommand implements Callable<Integer> {

    private final Session session;

    @Mixin
    private final NamedTable table = new NamedTable();

    @Mixin
    private final GivenOutput output = new GivenOutput();

    TableInfoCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        boolean isJson = output.isJson(session);
        ClientTable opened = table.open(session);
        TableDescription description = opened.describe();
        Map<String, Double> numbers = opened.stats().numbers();
        session.console()
                .print(new Answer()
                        .with("table", description.database() + "/" + description.table())
                        .with("engine", description.engine())
                        .with("ordered", description.ordered())
                        .with("entries", TableFigures.entries(numbers))
                        .with("disk_bytes", TableFigures.diskBytes(numbers))
                        .with("memory_bytes", TableFigures.memoryBytes(numbers))
                        .with("options", description.options())
                        .text(isJson));
        return ExitStatus.OK;
    }
}
