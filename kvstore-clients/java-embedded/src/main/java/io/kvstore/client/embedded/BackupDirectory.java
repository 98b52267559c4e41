package io.kvstore.client.embedded;

import io.kvstore.BackupInfo;
import io.kvstore.Backups;
import io.kvstore.DatabaseRestore;
import io.kvstore.client.ClientBackup;
import io.kvstore.client.ClientRestore;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.error.StoreLockedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The directory for backups of a store in this process. */
final class BackupDirectory {

    private final Access access;
    private final @Nullable Path directory;

    /** @param directory null if no backups are made */
    BackupDirectory(Access access, @Nullable Path directory) {
        this.access = access;
        this.directory = directory;
    }

    private <T> T in(Function<Path, T> work) {
        Path used = directory;
        if (used == null) {
            throw Failures.rejected(
                    ErrorCode.INVALID_REQUEST,
                    "the client has no directory for backups; make it with EmbeddedClient.over(store, directory), or use"
                            + " the backups of the store itself");
        }
        return access.call(() -> {
            try {
                return work.apply(used);
            } catch (StoreLockedException e) {
                throw Failures.as(ErrorCode.OVERLOADED, e);
            }
        });
    }

    List<ClientBackup> list() {
        return in(from -> isEmpty(from)
                ? List.of()
                : Backups.list(from).stream().map(BackupDirectory::described).toList());
    }

    private static boolean isEmpty(Path directory) {
        if (!Files.exists(directory)) {
            return true;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            return !files.iterator().hasNext();
        } catch (IOException e) {
            throw new UncheckedIOException("the directory for backups cannot be read", e);
        }
    }

    private static Path notEmpty(Path directory) {
        if (isEmpty(directory)) {
            throw Failures.rejected(ErrorCode.NOT_FOUND, "there is no backup yet; make one");
        }
        return directory;
    }

    private static ClientBackup described(BackupInfo backup) {
        return new ClientBackup(
                backup.id(), backup.time(), backup.lsn(), backup.storeBytes(), backup.writtenBytes(), backup.damage());
    }

    ClientBackup make() {
        return in(to -> described(access.store().backup(to)));
    }

    Findings verify() {
        return in(from -> isEmpty(from) ? new Findings() : Backups.verify(from));
    }

    void restore(ClientRestore restore) {
        DatabaseRestore what = new DatabaseRestore(restore.backup(), restore.database(), restore.restoredAs());
        boolean _ = in(from -> Backups.restoreDatabase(notEmpty(from), what, access.store(), Progress.NONE));
    }

    void delete(long id) {
        boolean _ = in(from -> {
            Backups.delete(notEmpty(from), id);
            return true;
        });
    }
}
