package io.kvstore.cli.admin;

import io.kvstore.KVStore;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.session.Confirmation;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableName;
import io.kvstore.client.ClientTable;
import io.kvstore.client.KVClient;
import io.kvstore.client.OperationResult;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Commands that do something to a table as a whole. */
final class TableJobs {

    private TableJobs() {}

    /** Removes a table. */
    @Command(
            name = "drop",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Removes a table and its data.",
            footer = {"", "Example: kvstore table drop demo/names --yes"})
    static final class Drop implements Callable<Integer> {
        private final Session session;

        @Mixin
        private final NamedTable table = new NamedTable();

        @Mixin
        private final Confirmation confirmation = new Confirmation();

        Drop(Session session) {
            this.session = session;
        }

        @Override
        public Integer call() {
            TableName name = table.explicitName(session);
            KVClient client = session.client(table.target());
            client.table(name.database(), name.table()).describe(); // nobody is asked about a table that is not there
            confirmation.require(session, "drop", name.toString());
            client.dropTable(name.database(), name.table());
            return ExitStatus.OK;
        }
    }

    /** Empties a table. */
    @Command(
            name = "truncate",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Removes all entries of a table.",
            footer = {"", "Example: kvstore table truncate demo/names --yes"})
    static final class Truncate implements Callable<Integer> {
        private final Session session;

        @Mixin
        private final NamedTable table = new NamedTable();

        @Mixin
        private final Confirmation confirmation = new Confirmation();

        Truncate(Session session) {
            this.session = session;
        }

        @Override
        public Integer call() {
            TableName name = table.explicitName(session);
            ClientTable opened = session.client(table.target()).table(name.database(), name.table());
            opened.describe();
            confirmation.require(session, "truncate", name.toString());
            opened.truncate();
            return ExitStatus.OK;
        }
    }

    /** Compacts a table. */
    @Command(
            name = "compact",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description =
                    "Compacts a table, or puts its values in order, and waits for the end. Ctrl-C stops the waiting;"
                            + " a server goes on, and the store of a directory stops at the next safe point.",
            footer = {"", "Example: kvstore table compact demo/names"})
    static final class Compact implements Callable<Integer> {
        private final Session session;

        @Mixin
        private final NamedTable table = new NamedTable();

        Compact(Session session) {
            this.session = session;
        }

        @Override
        public Integer call() {
            Console console = session.console();
            long start = console.nanos();
            TableName name = table.name(session);
            KVStore store = session.store(table.target());
            if (store == null) {
                onServer(name);
            } else {
                session.requireWritable();
                store.table(name.database(), name.table())
                        .optimize((_, _) -> !console.interruption().isAsked());
                console.interruption().check();
            }
            console.tell(name + " was compacted in " + Figures.seconds(console.nanos() - start));
            return ExitStatus.OK;
        }

        private void onServer(TableName name) {
            OperationResult begun = table.open(session).start(OperationResult.Kind.OPTIMIZE);
            OperationResult ended;
            try {
                ended = session.client(table.target())
                        .awaitOperation(
                                begun.id(),
                                _ -> session.console().interruption().check());
            } catch (CommandFailure e) {
                throw new CommandFailure(
                        e.status(), e.getMessage() + "; operation " + begun.id() + " of the server goes on");
            }
            if (ended.state() == OperationResult.State.CANCELLED) {
                throw new CommandFailure(
                        ExitStatus.ERROR,
                        "operation " + ended.id() + " of the server, which was to compact " + name
                                + ", was cancelled by somebody else, or because the server stops; try again");
            }
        }
    }
}
