package io.kvstore;

import io.kvstore.backup.Repository;
import io.kvstore.durability.StorageErrors;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.io.Storage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The backups of {@link KVStore} and {@link Backups}, in storages of a test. */
public final class BackupSeam {

    private BackupSeam() {}

    /** Opens a store with a small log, whose background does its work when a step of the test is due. */
    public static KVStore open(Storage disk) {
        StepClock clock = new StepClock();
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(disk)
                        .withClock(clock)
                        .withBackground(new StepBackground(clock))
                        .withWalSegmentBytes(64 << 10)
                        .withCheckpointLogBytes(256 << 10)
                        .withMemoryBytes(64 << 20));
    }

    /** Makes a backup. */
    public static @Nullable BackupInfo backup(KVStore store, Storage repository, Progress progress) {
        try {
            return Backups.make(store.parts(), repository, progress);
        } catch (IOException e) {
            throw StorageErrors.of("the backup", e);
        }
    }

    /** Restores a backup to a directory of another storage. */
    public static boolean restore(Storage repository, long id, Storage parent, String name) {
        try {
            return Backups.restore(repository, id, parent, name, Progress.NONE);
        } catch (IOException e) {
            throw StorageErrors.of("the restore", e);
        }
    }

    /** Makes a database of a store, of one that a backup has. */
    public static boolean restoreDatabase(Storage repository, DatabaseRestore what, KVStore into, Progress progress) {
        try {
            return DatabaseRestoration.run(repository, what, into, progress);
        } catch (IOException e) {
            throw StorageErrors.of("the restore", e);
        }
    }

    /** Copies a store to a directory of another storage. */
    public static void copy(KVStore store, Storage parent, String name) {
        try {
            Backups.copy(store.parts(), parent, name);
        } catch (IOException e) {
            throw StorageErrors.of("the copy", e);
        }
    }

    /** Reads all of a repository. */
    public static Findings verify(Storage repository) {
        try {
            return Backups.verify(repository, Progress.NONE);
        } catch (IOException e) {
            throw StorageErrors.of("the check", e);
        }
    }

    /** The backups that there are. */
    public static List<Long> ids(Storage repository) throws IOException {
        try (Repository opened = Repository.openForReading(repository)) {
            return opened.ids();
        }
    }

    /** Deletes backups. */
    public static void delete(Storage repository, List<Long> ids) throws IOException {
        try (Repository opened = Repository.open(repository)) {
            opened.delete(ids);
        }
    }
}
