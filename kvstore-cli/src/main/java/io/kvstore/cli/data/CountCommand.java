package io.kvstore.cli.data;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Detached;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.RangeOptions;
import io.kvstore.cli.session.Session;
import io.kvstore.client.ClientRange;
import io.kvstore.client.ClientTable;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Counts keys. */
@Command(
        name = "count",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Prints how many keys a table has, or how many of them are in a range.",
        footer = {"", "Example: kvstore count -t demo/names 'BLACK CHESS'"})
public final class CountCommand implements Callable<Integer> {

    private final Session session;

    @Parameters(index = "0", arity = "0..1", paramLabel = "PREFIX", description = "Only keys that begin so.")
    private @Nullable String prefix;

    @Mixin
    private final RangeOptions range = new RangeOptions();

    @Mixin
    private final GivenTable table = new GivenTable();

    public CountCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        ClientRange wanted = range.range(session, prefix);
        ClientTable opened = table.open(session);
        Console console = session.console();
        console.print(Detached.call(() -> opened.count(wanted), console.interruption()) + "\n");
        return ExitStatus.OK;
    }
}
