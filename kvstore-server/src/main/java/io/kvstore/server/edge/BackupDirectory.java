package io.kvstore.server.edge;

import io.kvstore.BackupInfo;
import io.kvstore.Backups;
import io.kvstore.DatabaseRestore;
import io.kvstore.KVStore;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.StorageException;
import io.kvstore.error.StoreLockedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The backups of the server's store. They are in the directory that the server was started with, because a client must not
 * choose where a server writes, and no client is told where that is. Safe for use by several threads.
 */
public final class BackupDirectory {

    private static final String NAME = "the server's directory for backups";

    private final KVStore store;
    private final @Nullable Path directory;

    /** @param directory null if the server makes no backups */
    BackupDirectory(KVStore store, @Nullable Path directory) {
        this.store = store;
        this.directory = directory == null ? null : directory.toAbsolutePath();
    }

    /**
     * Refuses a directory when the server starts.
     *
     * @throws InvalidRequestException if it is not apart from that of the store
     */
    static void check(KVStore store, Path directory) {
        try {
            Backups.requireApart(store, directory);
        } catch (StorageException e) {
            // its disk may be away now, and comes back while the server runs; until then each backup says so
        }
    }

    /** Work in the directory. */
    @FunctionalInterface
    private interface Work<T extends @Nullable Object> {
        T run(Path directory);
    }

    private <T extends @Nullable Object> T in(Work<T> work) {
        Path used = requireThere();
        try {
            return work.run(used);
        } catch (StoreLockedException e) {
            throw new ProblemException(Problem.of(
                    ProblemCode.OVERLOADED, NAME + " is in use by another operation or process; try again later"));
        } catch (InvalidRequestException e) {
            String message = Objects.requireNonNullElse(e.getMessage(), "");
            throw ProblemException.invalid(
                    message.replace(used.toString(), NAME).replace(real(used).toString(), NAME));
        }
    }

    private static Path real(Path directory) {
        try {
            return directory.toRealPath();
        } catch (IOException e) {
            return directory; // nothing is known of another path
        }
    }

    /** @throws ProblemException if the server makes no backups */
    Path requireThere() {
        if (directory == null) {
            throw ProblemException.invalid(
                    "the server has no directory for backups; start it with --backups DIRECTORY");
        }
        return directory;
    }

    /** The backups, oldest first. */
    public List<BackupInfo> list() {
        return in(from -> isEmpty(from) ? List.of() : Backups.list(from));
    }

    private static boolean isEmpty(Path directory) {
        if (!Files.exists(directory)) {
            return true;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            return !files.iterator().hasNext();
        } catch (IOException e) {
            throw new UncheckedIOException(NAME + " cannot be read", e);
        }
    }

    private static Path notEmpty(Path directory) {
        if (isEmpty(directory)) {
            throw new ProblemException(Problem.of(ProblemCode.NOT_FOUND, NAME + " has no backup yet; make one"));
        }
        return directory;
    }

    /** Makes a backup. Null if the progress said that it is to stop. */
    public @Nullable BackupInfo make(Progress progress) {
        return in(to -> {
            requireApart(to);
            return store.backup(to, progress);
        });
    }

    /** No client is told where the store is either. */
    private void requireApart(Path used) {
        try {
            Backups.requireApart(store, used);
        } catch (InvalidRequestException e) {
            throw ProblemException.invalid(
                    NAME + " is not apart from that of the store; start the server with another --backups DIRECTORY");
        }
    }

    /** Reads every byte of all backups. */
    public Findings verify(Progress progress) {
        return in(from -> isEmpty(from) ? new Findings() : Backups.verify(from, progress));
    }

    /** Makes a database of one that a backup has. False if the progress said that it is to stop. */
    boolean restore(DatabaseRestore what, Progress progress) {
        return in(from -> Backups.restoreDatabase(notEmpty(from), what, store, progress));
    }

    /** Deletes a backup. */
    public void delete(long id) {
        in(from -> {
            Backups.delete(notEmpty(from), id);
            return true;
        });
    }
}
