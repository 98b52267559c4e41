package io.kvstore.cli.data;

import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.Session;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Sets the value of a key. */
@Command(
        name = "put",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Sets the value of a key.",
        footer = {
            "",
            "Examples: kvstore put -t demo/names 'MY KEY' 'my value'",
            "          gzip -c page.html | kvstore put -t demo/pages /index -"
        })
public final class PutCommand implements Callable<Integer> {

    private final Session session;

    @Mixin
    private final GivenEntry entry = new GivenEntry();

    @Mixin
    private final GivenTable table = new GivenTable();

    @Mixin
    private final GivenDurability durability = new GivenDurability();

    public PutCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() throws IOException {
        byte[] wanted = entry.key(session);
        table.name(session);
        byte[] bytes = entry.value(session);
        durability.of(table.open(session)).put(wanted, bytes);
        return ExitStatus.OK;
    }
}
