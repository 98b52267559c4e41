package io.kvstore.cli.admin;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.session.Confirmation;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableName;
import io.kvstore.client.ClientTable;
import io.kvstore.client.KVClient;
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
                            + " a server goes on.",
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
            table.open(session).optimize();
            console.tell(name + " was compacted in " + Figures.seconds(console.nanos() - start));
            return ExitStatus.OK;
        }
    }
}
