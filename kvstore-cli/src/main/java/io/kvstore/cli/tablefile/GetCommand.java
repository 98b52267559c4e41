package io.kvstore.cli.tablefile;

import io.kvstore.TableFile;
import io.kvstore.cli.arguments.KeyText;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.rows.EntryFields;
import io.kvstore.data.KeyOrder;
import java.io.IOException;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the value of a key. */
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        description = "Prints the value of a key. Ends with status 3 if the file has none.")
final class GetCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private final GivenFile file = new GivenFile();

    @Parameters(index = "1", paramLabel = "KEY", description = "The key; -- before it if it begins with a dash.")
    private String key = "";

    @Mixin
    private final KeyText keys = new KeyText();

    @Option(
            names = "--output",
            paramLabel = "FORM",
            defaultValue = "raw",
            description = "raw, json or hex. Default: ${DEFAULT-VALUE}, which is the bytes of the value alone"
                    + " (with a newline on a terminal)")
    private Form output = Form.RAW;

    enum Form {
        RAW,
        JSON,
        HEX
    }

    GetCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        byte[] wanted = keys.bytes("KEY", key);
        try (TableFile opened = file.open()) {
            byte[] value = opened.get(wanted);
            if (value == null) {
                throw new CommandFailure(ExitStatus.NOT_FOUND, file.path() + " has no key " + KeyOrder.display(wanted));
            }
            print(wanted, value);
        }
        return ExitStatus.OK;
    }

    private void print(byte[] wanted, byte[] value) throws IOException {
        switch (output) {
            case RAW -> {
                console.out().write(value);
                if (console.terminals().out()) {
                    console.out().write('\n');
                }
            }
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
