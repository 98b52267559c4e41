package io.kvstore.cli.data;

import io.kvstore.cli.arguments.KeyText;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.Session;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Counts. */
@Command(
        name = "add",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Adds to the number that a key has, and prints the sum. A key without a value has 0. No addition is"
                        + " lost, whatever others write meanwhile.",
        footer = {
            "",
            "Examples: kvstore add -t demo/counters visits",
            "          kvstore add -t demo/stock apples -- -5"
        })
public final class AddCommand implements Callable<Integer> {

    private final Session session;

    @Parameters(index = "0", paramLabel = "KEY", description = "The key; -- before it if it begins with a dash.")
    private String key = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "DELTA",
            defaultValue = "1",
            description = "A whole number of 64 bits; -- before it if it is negative. Default: ${DEFAULT-VALUE}")
    private String delta = "1";

    @Mixin
    private final KeyText keys = new KeyText();

    @Mixin
    private final GivenTable table = new GivenTable();

    @Mixin
    private final GivenDurability durability = new GivenDurability();

    public AddCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        byte[] wanted = keys.bytes("KEY", key, session.usualText());
        long number = number();
        session.console().print(durability.of(table.open(session)).add(wanted, number) + "\n");
        return ExitStatus.OK;
    }

    private long number() {
        try {
            return Long.parseLong(delta);
        } catch (NumberFormatException e) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "DELTA is \"" + delta + "\"; give a whole number from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE);
        }
    }
}
