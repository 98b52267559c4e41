package io.kvstore.cli.data;

import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.Session;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tells whether a key has a value. */
@Command(
        name = "exists",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Prints whether a key has a value: true, or false with status 3.",
        footer = {"", "Example: kvstore exists -t demo/names SNOWMAN"})
public final class ExistsCommand implements Callable<Integer> {

    private final Session session;

    @Mixin
    private final GivenKey key = new GivenKey();

    @Mixin
    private final GivenTable table = new GivenTable();

    public ExistsCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        byte[] wanted = key.bytes(session);
        boolean exists = table.open(session).contains(wanted);
        session.console().print(exists + "\n");
        return exists ? ExitStatus.OK : ExitStatus.NOT_FOUND;
    }
}
