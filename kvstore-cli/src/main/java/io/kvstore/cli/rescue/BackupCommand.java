package io.kvstore.cli.rescue;

import io.kvstore.BackupInfo;
import io.kvstore.Backups;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.FindingLines;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Backups of a store in a repository. */
@Command(
        name = "backup",
        mixinStandardHelpOptions = true,
        description = "Makes, lists, checks, restores or deletes backups. A repository is a directory with the backups"
                + " of one store.",
        footer = {"", "Example: kvstore backup create ./data /backups/data"})
public final class BackupCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything else happens
    private CommandSpec spec;

    private BackupCommand() {}

    /** The command with all that belong to it. */
    public static CommandLine of(Console console) {
        return new CommandLine(new BackupCommand())
                .addSubcommand(new Create(console))
                .addSubcommand(new ListAll(console))
                .addSubcommand(new Verify(console))
                .addSubcommand(new Restore(console))
                .addSubcommand(new Delete(console));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "a command is missing: " + String.join(", ", spec.subcommands().keySet()));
    }

    private static String line(BackupInfo backup) {
        return backup.damage() == null
                ? backup.id() + "  " + backup.time().truncatedTo(ChronoUnit.SECONDS) + "  lsn " + backup.lsn() + "  "
                        + Figures.count(backup.storeBytes(), "byte") + "  "
                        + Figures.count(backup.writtenBytes()) + " of them written\n"
                : backup.id() + "  damaged: " + backup.damage() + "\n";
    }

    private static Progress told(ProgressLine progress) {
        return (done, total) -> {
            progress.at(done, total == 0 ? ProgressLine.UNKNOWN : (double) done / total);
            return true;
        };
    }

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = "Makes a backup of a store that no server has open. Only what is not in an earlier backup is"
                    + " written. Prints the backup.",
            footer = {"", "Example: kvstore backup create ./data /backups/data"})
    static final class Create implements Callable<Integer> {

        private final Console console;

        @Parameters(index = "0", paramLabel = "STORE", description = "The directory of the store.")
        private @Nullable Path store;

        @Parameters(index = "1", paramLabel = "REPOSITORY", description = "The directory of the backups.")
        private @Nullable Path repository;

        @Option(names = "--quiet", description = "Show no progress.")
        private boolean quiet;

        Create(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            Path directory = GivenStore.store(store);
            Path to = repository == null ? directory : repository;
            try (KVStore opened = new KVStore(directory, KVStoreOptions.defaults());
                    ProgressLine progress = new ProgressLine(console, quiet)) {
                progress.begin("writing", "byte");
                BackupInfo made = opened.backup(to, told(progress));
                if (made == null) {
                    throw new IllegalStateException("nobody has stopped the backup");
                }
                progress.end(to + ": backup " + made.id() + ", " + Figures.seconds(progress.nanos()));
                console.print(line(made));
            }
            return ExitStatus.OK;
        }
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Prints the backups of a repository, the oldest first.",
            footer = {"", "Example: kvstore backup list /backups/data"})
    static final class ListAll implements Callable<Integer> {

        private final Console console;

        @Parameters(index = "0", paramLabel = "REPOSITORY", description = "The directory of the backups.")
        private @Nullable Path repository;

        ListAll(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            Backups.list(GivenStore.existing(repository)).forEach(backup -> console.print(line(backup)));
            return ExitStatus.OK;
        }
    }

    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            description = "Reads every byte of all backups and checks it. Prints each finding in a line, and ends with"
                    + " status 1 if there is one.",
            footer = {"", "Example: kvstore backup verify /backups/data"})
    static final class Verify implements Callable<Integer> {

        private final Console console;

        @Parameters(index = "0", paramLabel = "REPOSITORY", description = "The directory of the backups.")
        private @Nullable Path repository;

        @Option(names = "--quiet", description = "Show no progress, and say nothing of sound backups.")
        private boolean quiet;

        Verify(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            Path of = GivenStore.existing(repository);
            try (ProgressLine progress = new ProgressLine(console, quiet)) {
                progress.begin("verifying", "byte");
                Findings findings = Backups.verify(of, told(progress));
                FindingLines.print(console, findings);
                if (findings.total() > 0) {
                    throw new CommandFailure(
                            ExitStatus.ERROR,
                            of + " is damaged, with " + FindingLines.count(findings)
                                    + "; begin a new repository with the next backup");
                }
                progress.end(of + " is sound, " + Figures.seconds(progress.nanos()));
            }
            return ExitStatus.OK;
        }
    }

    @Command(
            name = "restore",
            mixinStandardHelpOptions = true,
            description = "Makes a store of a backup, in a new directory: the whole of it or nothing.",
            footer = {"", "Example: kvstore backup restore /backups/data ./restored"})
    static final class Restore implements Callable<Integer> {

        private final Console console;

        @Parameters(index = "0", paramLabel = "REPOSITORY", description = "The directory of the backups.")
        private @Nullable Path repository;

        @Parameters(index = "1", paramLabel = "NEW", description = "A new directory, or an empty one.")
        private @Nullable Path target;

        @Option(names = "--id", paramLabel = "ID", description = "The backup. Default: the newest one.")
        private @Nullable Long id;

        @Option(names = "--quiet", description = "Show no progress.")
        private boolean quiet;

        Restore(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            Path of = GivenStore.existing(repository);
            Path to = target == null ? of : target;
            long wanted = id == null ? newest(of) : id;
            try (ProgressLine progress = new ProgressLine(console, quiet)) {
                progress.begin("restoring", "byte");
                boolean isWhole = Backups.restore(of, wanted, to, told(progress));
                if (!isWhole) {
                    throw new IllegalStateException("nobody has stopped the restore");
                }
                progress.end(to + ": restored from backup " + wanted + ", " + Figures.seconds(progress.nanos()));
            }
            return ExitStatus.OK;
        }

        private static long newest(Path repository) {
            List<BackupInfo> all = Backups.list(repository);
            if (all.isEmpty()) {
                throw new CommandFailure(
                        ExitStatus.NOT_FOUND,
                        repository + " has no backup; 'kvstore backup create STORE " + repository + "' makes one");
            }
            return all.getLast().id();
        }
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = "Deletes one backup, or all but the newest ones, and the bytes that no other backup needs.",
            footer = {"", "Example: kvstore backup delete /backups/data --keep 7"})
    static final class Delete implements Callable<Integer> {

        private final Console console;

        @Parameters(index = "0", paramLabel = "REPOSITORY", description = "The directory of the backups.")
        private @Nullable Path repository;

        @Option(names = "--id", paramLabel = "ID", description = "The backup to delete.")
        private @Nullable Long id;

        @Option(names = "--keep", paramLabel = "COUNT", description = "How many of the newest backups stay.")
        private @Nullable Integer keep;

        Delete(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            Path of = GivenStore.existing(repository);
            if ((id == null) == (keep == null)) {
                throw new CommandFailure(ExitStatus.USAGE, "give one of --id and --keep");
            }
            if (id != null) {
                Backups.delete(of, id);
                console.print("deleted " + id + "\n");
            } else if (keep != null) {
                Backups.keepNewest(of, keep).forEach(old -> console.print("deleted " + old + "\n"));
            }
            return ExitStatus.OK;
        }
    }
}
