package io.kvstore.cli.admin;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.CommandGroup;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.Confirmation;
import io.kvstore.cli.session.GivenOutput;
import io.kvstore.cli.session.Names;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableFigures;
import io.kvstore.cli.session.TargetOptions;
import io.kvstore.client.KVClient;
import io.kvstore.client.error.NotFoundException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Commands for databases. */
@Command(
        name = "db",
        mixinStandardHelpOptions = true,
        description = "Lists, creates, describes or drops databases.",
        footer = {"", "Example: kvstore db create demo"})
public final class DatabaseCommand extends CommandGroup {

    private DatabaseCommand() {}

    /** The command with all that belong to it. */
    public static CommandLine of(Session session) {
        return new CommandLine(new DatabaseCommand())
                .addSubcommand(new ListAll(session))
                .addSubcommand(new Create(session))
                .addSubcommand(new Drop(session))
                .addSubcommand(new Describe(session));
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Prints the names of the databases, sorted.",
            footer = {"", "Example: kvstore db list"})
    static final class ListAll implements Callable<Integer> {
        private final Session session;

        @Mixin
        private final TargetOptions target = new TargetOptions();

        @Mixin
        private final GivenOutput output = new GivenOutput();

        ListAll(Session session) {
            this.session = session;
        }

        @Override
        public Integer call() {
            boolean isJson = output.isJson(session);
            NameList.print(session, isJson, "database", session.client(target).databases());
            return ExitStatus.OK;
        }
    }

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Creates a database. One that is there already stays as it is. A directory that is missing or"
                    + " empty becomes a store.",
            footer = {"", "Example: kvstore db create demo --url ./data"})
    static final class Create implements Callable<Integer> {
        private final Session session;

        @Parameters(paramLabel = "DB", description = "The name.")
        private String name = "";

        @Mixin
        private final TargetOptions target = new TargetOptions();

        Create(Session session) {
            this.session = session;
        }

        @Override
        public Integer call() {
            String checked = Names.checked("database", name);
            if (!session.creatingClient(target).createDatabase(checked)) {
                session.console().tell("the database " + checked + " exists already; nothing has changed");
            }
            return ExitStatus.OK;
        }
    }

    @Command(
            name = "drop",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Drops a database that has no tables.",
            footer = {"", "Example: kvstore db drop demo --yes"})
    static final class Drop implements Callable<Integer> {
        private final Session session;

        @Parameters(paramLabel = "DB", description = "The name.")
        private String name = "";

        @Mixin
        private final Confirmation confirmation = new Confirmation();

        @Mixin
        private final TargetOptions target = new TargetOptions();

        Drop(Session session) {
            this.session = session;
        }

        @Override
        public Integer call() {
            String checked = Names.checked("database", name);
            KVClient client = session.client(target);
            List<String> tables = client.tables(checked);
            if (!tables.isEmpty()) {
                throw new CommandFailure(
                        ExitStatus.CONDITION_FAILED,
                        "the database " + checked + " has tables, such as " + tables.getFirst()
                                + "; drop them first with 'kvstore table drop'");
            }
            confirmation.require(session, "drop", checked);
            client.dropDatabase(checked);
            return ExitStatus.OK;
        }
    }

    @Command(
            name = "info",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Tells what a database has.",
            footer = {"", "Example: kvstore db info demo"})
    static final class Describe implements Callable<Integer> {
        private final Session session;

        @Parameters(arity = "0..1", paramLabel = "DB", description = "The name. Default in the shell: that of 'use'")
        private @Nullable String name;

        @Mixin
        private final TargetOptions target = new TargetOptions();

        @Mixin
        private final GivenOutput output = new GivenOutput();

        Describe(Session session) {
            this.session = session;
        }

        @Override
        public Integer call() {
            String database = session.database(name);
            boolean isJson = output.isJson(session);
            KVClient client = session.client(target);
            List<String> tables = client.tables(database);
            long entries = 0;
            long bytes = 0;
            long found = 0;
            for (String table : tables) {
                Map<String, Double> numbers;
                try {
                    numbers = client.table(database, table).stats().numbers();
                } catch (NotFoundException _) {
                    continue; // it was dropped a moment ago, and nobody has named it
                }
                found++;
                entries += TableFigures.entries(numbers);
                bytes += TableFigures.diskBytes(numbers);
            }
            session.console()
                    .print(new Answer()
                            .with("database", database)
                            .with("tables", found)
                            .with("entries", entries)
                            .with("disk_bytes", bytes)
                            .text(isJson));
            return ExitStatus.OK;
        }
    }
}
