package io.kvstore.cli.data;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.Session;
import io.kvstore.client.ClientCondition;
import io.kvstore.data.KeyOrder;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Removes a key. */
@Command(
        name = "del",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Removes a key and its value. Ends with status 3 if the key has none.",
        footer = {"", "Example: kvstore del -t demo/names 'MY KEY'"})
public final class DelCommand implements Callable<Integer> {

    private final Session session;

    @Mixin
    private final GivenKey key = new GivenKey();

    @Mixin
    private final GivenTable table = new GivenTable();

    @Mixin
    private final GivenDurability durability = new GivenDurability();

    public DelCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        byte[] wanted = key.bytes(session);
        if (!durability.of(table.open(session)).removeIf(wanted, ClientCondition.exists())) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND, table.name(session) + " has no key " + KeyOrder.display(wanted));
        }
        return ExitStatus.OK;
    }
}
