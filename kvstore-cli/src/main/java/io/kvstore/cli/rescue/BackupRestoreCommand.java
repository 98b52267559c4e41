package io.kvstore.cli.rescue;

import io.kvstore.Backups;
import io.kvstore.DatabaseRestore;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.session.Session;
import io.kvstore.client.ClientRestore;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a store, or a database, of a backup. */
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        description = "Makes a store of a backup, in a new directory. With --database and --as, makes a database of one"
                + " that the backup has, on a server or in the directory of a store: the whole of it or nothing."
                + " Ctrl-C ends it, also on a server.",
        footer = {
            "",
            "Examples: kvstore backup restore /backups/data ./restored",
            "          kvstore backup restore /backups/data ./data --database shop --as shop_old",
            "          kvstore backup restore --database shop --as shop_old"
        })
final class BackupRestoreCommand implements Callable<Integer> {

    private final Session session;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "REPOSITORY",
            description = "The directory of the backups. Default: the one that the server has for them.")
    private @Nullable Path repository;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "DIRECTORY",
            description =
                    "A new directory, or an empty one; for a database, the directory of a store that no server has"
                            + " open.")
    private @Nullable Path target;

    @Option(names = "--id", paramLabel = "ID", description = "The backup. Default: the newest one.")
    private @Nullable Long id;

    @Option(names = "--database", paramLabel = "DB", description = "The database that is restored, instead of all.")
    private @Nullable String database;

    @Option(names = "--as", paramLabel = "NEW", description = "The name that the database gets.")
    private @Nullable String restoredAs;

    @Mixin
    private final GivenServer server = new GivenServer();

    @Mixin
    private final Quietness quietness = new Quietness();

    BackupRestoreCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        if ((database == null) != (restoredAs == null)) {
            throw new CommandFailure(ExitStatus.USAGE, "--database and --as belong together: give both");
        }
        if (repository == null) {
            restoreOnServer();
            return ExitStatus.OK;
        }
        server.requireNoneToWrite(session);
        DirectoryBackups backups = new DirectoryBackups(GivenStore.existing(repository));
        if (target == null) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "give the directory, too: kvstore backup restore REPOSITORY DIRECTORY");
        }
        if (database != null && restoredAs != null) {
            restoreTo(target, backups, database, restoredAs);
        } else {
            restoreAll(target, backups);
        }
        return ExitStatus.OK;
    }

    private void restoreOnServer() {
        ServerBackups backups = server.backups(session, "restore REPOSITORY DIRECTORY");
        if (database == null || restoredAs == null) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "a server restores one database: give --database and --as; for all of a backup give its directory,"
                            + " and a new one");
        }
        long wanted = backups.wanted(id);
        try (ProgressLine progress = quietness.begin(session.console(), "restoring")) {
            backups.restore(new ClientRestore(wanted, database, restoredAs), progress);
            tell(progress, backups.name() + ", database " + restoredAs, wanted);
        }
    }

    private void restoreTo(Path store, DirectoryBackups backups, String from, String as) {
        long wanted = backups.wanted(id);
        try (KVStore opened = new KVStore(GivenStore.store(store), KVStoreOptions.defaults());
                ProgressLine progress = quietness.begin(session.console(), "restoring")) {
            DatabaseRestore restore = new DatabaseRestore(wanted, from, as);
            require(Backups.restoreDatabase(backups.repository(), restore, opened, Quietness.told(progress)));
            tell(progress, store + ", database " + as, wanted);
        }
    }

    private void restoreAll(Path directory, DirectoryBackups backups) {
        long wanted = backups.wanted(id);
        try (ProgressLine progress = quietness.begin(session.console(), "restoring")) {
            require(Backups.restore(backups.repository(), wanted, directory, Quietness.told(progress)));
            tell(progress, directory.toString(), wanted);
        }
    }

    private static void require(boolean isWhole) {
        if (!isWhole) {
            throw new IllegalStateException("nobody has stopped the restore");
        }
    }

    private static void tell(ProgressLine progress, String where, long backup) {
        progress.end(where + ": restored from backup " + backup + ", " + Figures.seconds(progress.nanos()));
    }
}
