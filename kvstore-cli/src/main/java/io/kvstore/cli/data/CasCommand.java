package io.kvstore.cli.data;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.Session;
import io.kvstore.client.ClientCondition;
import io.kvstore.data.KeyOrder;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sets the value of a key if a condition holds. */
@Command(
        name = "cas",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Compare and set: sets the value of a key if a condition holds for the value before. Ends with"
                + " status 4, and changes nothing, if it does not hold.",
        footer = {
            "",
            "Examples: kvstore cas -t demo/locks job worker-7 --absent",
            "          kvstore cas -t demo/names 'MY KEY' new --expect 'my value'"
        })
public final class CasCommand implements Callable<Integer> {

    private final Session session;

    @Mixin
    private final GivenEntry entry = new GivenEntry();

    @ArgGroup(multiplicity = "1")
    private @Nullable Expected expected;

    @Mixin
    private final GivenTable table = new GivenTable();

    @Mixin
    private final GivenDurability durability = new GivenDurability();

    /** What the key must have. */
    static final class Expected {

        @Option(names = "--expect", paramLabel = "VALUE", description = "The key must have this value.")
        private @Nullable String text;

        @Option(names = "--absent", description = "The key must have no value.")
        @SuppressWarnings("UnusedVariable") // that it is given is that the others are not
        private boolean absent;

        @Option(names = "--present", description = "The key must have a value, whatever it is.")
        private boolean present;
    }

    public CasCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() throws IOException {
        byte[] wanted = entry.key(session);
        ClientCondition condition = condition();
        table.name(session);
        byte[] bytes = entry.value(session);
        if (!durability.of(table.open(session)).putIf(wanted, bytes, condition)) {
            throw new CommandFailure(
                    ExitStatus.CONDITION_FAILED,
                    "the key " + KeyOrder.display(wanted) + " of " + table.name(session) + " "
                            + (condition.kind() == ClientCondition.Kind.ABSENT
                                    ? "has a value"
                                    : "does not have what was expected")
                            + "; nothing has changed");
        }
        return ExitStatus.OK;
    }

    private ClientCondition condition() {
        Expected given = Objects.requireNonNull(expected);
        if (given.text != null) {
            return ClientCondition.valueIs(entry.other(session, "--expect", given.text));
        }
        return given.present ? ClientCondition.exists() : ClientCondition.absent();
    }
}
