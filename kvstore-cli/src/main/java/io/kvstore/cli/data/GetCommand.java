package io.kvstore.cli.data;

import io.kvstore.cli.arguments.Escapes;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.rows.EntryFields;
import io.kvstore.cli.session.GivenOutput;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.OutputForm;
import io.kvstore.cli.session.Session;
import io.kvstore.data.KeyOrder;
import java.io.IOException;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints the value of a key. */
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Prints the value of a key. Ends with status 3 if it has none.",
        footer = {"", "Example: kvstore get -t demo/names SNOWMAN"})
public final class GetCommand implements Callable<Integer> {

    private final Session session;

    @Mixin
    private final GivenKey key = new GivenKey();

    @Mixin
    private final GivenTable table = new GivenTable();

    @Mixin
    private final GivenOutput output = new GivenOutput();

    public GetCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() throws IOException {
        byte[] wanted = key.bytes(session);
        byte[] value = table.open(session).get(wanted);
        if (value == null) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND, table.name(session) + " has no key " + KeyOrder.display(wanted));
        }
        print(wanted, value);
        return ExitStatus.OK;
    }

    private void print(byte[] wanted, byte[] value) throws IOException {
        Console console = session.console();
        switch (output.of(session, OutputForm.RAW)) {
            case RAW -> {
                console.out().write(value);
                if (console.terminals().out() || session.isShell()) {
                    console.out().write('\n');
                }
            }
            case TABLE -> console.print(Escapes.text(value) + "\n");
            case HEX -> console.print(HexFormat.of().formatHex(value) + "\n");
            case JSON -> {
                EntryFields entry = new EntryFields();
                entry.bytes("key", wanted);
                entry.bytes("value", value);
                console.print(entry.end() + "\n");
            }
        }
    }
}
