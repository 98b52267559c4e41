package io.kvstore.cli.rescue;

import io.kvstore.BackupInfo;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.session.Session;
import io.kvstore.client.ClientBackup;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Makes a backup. */
@Command(
        name = "create",
        mixinStandardHelpOptions = true,
        description = "Makes a backup: on a server, of its store in its directory for backups, or of a store that no"
                + " server has open. Only what is not in an earlier backup is written. Prints the backup. Ctrl-C ends"
                + " it, also on a server, and leaves nothing of it.",
        footer = {"", "Examples: kvstore backup create", "          kvstore backup create ./data /backups/data"})
final class BackupCreateCommand implements Callable<Integer> {

    private final Session session;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "STORE",
            description = "The directory of the store. Default: the server's store, in its directory for backups.")
    private @Nullable Path store;

    @Parameters(index = "1", arity = "0..1", paramLabel = "REPOSITORY", description = "The directory of the backups.")
    private @Nullable Path repository;

    @Mixin
    private final GivenServer server = new GivenServer();

    @Mixin
    private final Quietness quietness = new Quietness();

    BackupCreateCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        Console console = session.console();
        if (store == null) {
            ServerBackups backups = server.backups(session, "create STORE REPOSITORY");
            try (ProgressLine progress = quietness.begin(console, "writing")) {
                tell(console, progress, backups.name(), backups.make(progress));
            }
            return ExitStatus.OK;
        }
        server.requireNoneToWrite(session);
        Path directory = GivenStore.store(store);
        Path to = repository;
        if (to == null) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "give the directory of the backups, too: kvstore backup create STORE REPOSITORY");
        }
        try (KVStore opened = new KVStore(directory, KVStoreOptions.defaults());
                ProgressLine progress = quietness.begin(console, "writing")) {
            BackupInfo made = opened.backup(to, Quietness.told(progress));
            if (made == null) {
                throw new IllegalStateException("nobody has stopped the backup");
            }
            tell(console, progress, to.toString(), DirectoryBackups.described(made));
        }
        return ExitStatus.OK;
    }

    private static void tell(Console console, ProgressLine progress, String where, ClientBackup made) {
        progress.end(where + ": backup " + made.id() + ", " + Figures.seconds(progress.nanos()));
        console.print(BackupCommand.line(made));
    }
}
