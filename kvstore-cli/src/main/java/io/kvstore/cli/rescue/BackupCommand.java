package io.kvstore.cli.rescue;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.session.Session;
import io.kvstore.client.ClientBackup;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Backups of a store, in a repository of this machine or of a server. */
@Command(
        name = "backup",
        mixinStandardHelpOptions = true,
        description = "Makes, lists, checks, restores or deletes backups. A repository is a directory with the backups"
                + " of one store. Without directories the commands are for the server, which has a repository of its"
                + " own if it was started with --backups.",
        footer = {"", "Examples: kvstore backup create", "          kvstore backup create ./data /backups/data"})
public final class BackupCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything else happens
    private CommandSpec spec;

    private BackupCommand() {}

    /** The command with all that belong to it. */
    public static CommandLine of(Session session) {
        return new CommandLine(new BackupCommand())
                .addSubcommand(new BackupCreateCommand(session))
                .addSubcommand(new ListAll(session))
                .addSubcommand(new Verify(session))
                .addSubcommand(new BackupRestoreCommand(session))
                .addSubcommand(new Delete(session));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "a command is missing: " + String.join(", ", spec.subcommands().keySet()));
    }

    static String line(ClientBackup backup) {
        return backup.damage() == null
                ? backup.id() + "  " + backup.time().truncatedTo(ChronoUnit.SECONDS) + "  lsn " + backup.lsn() + "  "
                        + Figures.count(backup.storeBytes(), "byte") + "  "
                        + Figures.count(backup.writtenBytes()) + " of them written\n"
                : backup.id() + "  damaged: " + backup.damage() + "\n";
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Prints the backups, the oldest first.",
            footer = {"", "Example: kvstore backup list /backups/data"})
    static final class ListAll implements Callable<Integer> {

        private final Session session;

        @Mixin
        private final GivenBackups given = new GivenBackups();

        ListAll(Session session) {
            this.session = session;
        }

        @Override
        public Integer call() {
            given.in(session, "list").all().forEach(backup -> session.console().print(line(backup)));
            return ExitStatus.OK;
        }
    }

    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            description = "Reads every byte of all backups and checks it. Prints each finding in a line, and ends with"
                    + " status 1 if there is one. Ctrl-C ends it, also on a server.",
            footer = {"", "Example: kvstore backup verify /backups/data"})
    static final class Verify implements Callable<Integer> {

        private final Session session;

        @Mixin
        private final GivenBackups given = new GivenBackups();

        @Mixin
        private final Quietness quietness = new Quietness();

        Verify(Session session) {
            this.session = session;
        }

        @Override
        public Integer call() {
            Console console = session.console();
            BackupPlace backups = given.in(session, "verify");
            try (ProgressLine progress = quietness.begin(console, "verifying")) {
                String findings = backups.verify(console, progress);
                if (findings != null) {
                    throw new CommandFailure(
                            ExitStatus.ERROR,
                            backups.name() + " is damaged, with " + findings
                                    + "; begin a new repository with the next backup");
                }
                progress.end(backups.name() + " is sound, " + Figures.seconds(progress.nanos()));
            }
            return ExitStatus.OK;
        }
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = "Deletes one backup, or all but the newest ones, and the bytes that no other backup needs.",
            footer = {"", "Example: kvstore backup delete /backups/data --keep 7"})
    static final class Delete implements Callable<Integer> {

        private final Session session;

        @Mixin
        private final GivenBackups given = new GivenBackups();

        @Option(names = "--id", paramLabel = "ID", description = "The backup to delete.")
        private @Nullable Long id;

        @Option(names = "--keep", paramLabel = "COUNT", description = "How many of the newest backups stay.")
        private @Nullable Integer keep;

        Delete(Session session) {
            this.session = session;
        }

        @Override
        public Integer call() {
            if ((id == null) == (keep == null)) {
                throw new CommandFailure(ExitStatus.USAGE, "give one of --id and --keep");
            }
            BackupPlace backups = given.toWrite(session, "delete");
            if (id != null) {
                backups.delete(id);
                tell(id);
            } else if (keep != null) {
                backups.keepNewest(keep).forEach(this::tell);
            }
            return ExitStatus.OK;
        }

        private void tell(long deleted) {
            session.console().print("deleted " + deleted + "\n");
        }
    }
}
