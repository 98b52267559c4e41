package io.kvstore;

import io.kvstore.backup.Backup;
import io.kvstore.backup.BackupJob;
import io.kvstore.backup.NewDirectory;
import io.kvstore.backup.Repository;
import io.kvstore.backup.Restoration;
import io.kvstore.backup.StoreCopy;
import io.kvstore.backup.Verification;
import io.kvstore.catalog.Catalog;
import io.kvstore.durability.OpenStore;
import io.kvstore.durability.StorageErrors;
import io.kvstore.durability.StoreHold;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.NotFoundException;
import io.kvstore.error.Notices;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StorageException;
import io.kvstore.io.Neighbourhood;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import io.kvstore.wal.LogHold;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The backups in a repository, which {@link KVStore#backup} makes. No store needs to be open for these methods.
 *
 * <p>A repository is a directory with the backups of one store. Equal parts of several backups are stored once, so a backup is
 * as small as the changes since the one before, and each backup can be restored, or deleted, by itself. The directory may be
 * moved or copied while nobody uses it.
 *
 * <p>All methods are safe for use by any number of threads and processes. {@link #list} needs no lock. Others that read share
 * the lock of the repository; those that change it, {@link KVStore#backup} among them, need it for themselves. A call that does
 * not get the lock throws {@link io.kvstore.error.StoreLockedException}. All errors are
 * {@link io.kvstore.error.KVStoreException}s; {@link InvalidRequestException} says that the directory is no repository.
 */
public final class Backups {

    private static final Set<String> PARTS_OF_STORE = Set.of(Catalog.FILE, LogHold.DIRECTORY);

    /** After so many holds whose log was lost to writers, a backup or copy fails. */
    private static final int MOST_HOLDS = 3;

    private static final String OF_BACKUPS = "the backups";

    private Backups() {}

    /** A step that may do I/O. */
    @FunctionalInterface
    private interface Step<T extends @Nullable Object> {
        T run() throws IOException;
    }

    private static <T extends @Nullable Object> T run(String what, Step<T> step) {
        try {
            return step.run();
        } catch (IOException e) {
            throw StorageErrors.of(what, e);
        }
    }

    /** The backups of a repository, oldest first. One whose manifest is damaged is there, too, and says so. */
    public static List<BackupInfo> list(Path repository) {
        return run("listing backups", () -> {
            try (Repository opened = Repository.openForListing(RealStorage.forReading(repository))) {
                List<BackupInfo> infos = new ArrayList<>();
                for (long id : opened.ids()) {
                    BackupInfo info = info(opened, id);
                    if (info != null) {
                        infos.add(info);
                    }
                }
                return infos;
            }
        });
    }

    /** Null if the backup was deleted meanwhile. */
    private static @Nullable BackupInfo info(Repository repository, long id) throws IOException {
        try {
            return BackupInfo.of(repository.backup(id));
        } catch (NotFoundException e) {
            return null; // which is an answer here
        } catch (CorruptionException | StorageException e) {
            return BackupInfo.damaged(id, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Reads every byte of all backups, and checks it. A flipped bit, a cut and a missing file are found, with the name of the
     * file and the offset in it, and the first backup that needs that place.
     */
    public static Findings verify(Path repository) {
        return verify(repository, Progress.NONE);
    }

    /**
     * As {@link #verify(Path)}.
     *
     * @param progress told of bytes; if it says that the check is to stop, the result is of what was read until then
     */
    public static Findings verify(Path repository, Progress progress) {
        return run("verifying backups", () -> verify(RealStorage.forReading(repository), progress));
    }

    static Findings verify(Storage repository, Progress progress) throws IOException {
        try (Repository opened = Repository.openForReading(repository)) {
            return Verification.run(opened, progress);
        }
    }

    /** Restores a backup into a new directory. As {@link #restore(Path, long, Path, Progress)}, to the end. */
    public static void restore(Path repository, long id, Path newDirectory) {
        boolean _ = restore(repository, id, newDirectory, Progress.NONE);
    }

    /**
     * Restores a backup into a new directory, which is a store then, and opens as any other. Every byte is checked on its way.
     * The files are written to a directory beside it, whose name ends in {@code .unfinished}, and are durable before that gets
     * its name. So the new directory is there as a whole or not at all, whatever fails meanwhile; after a kill the
     * unfinished one stays until the next restore to that name.
     *
     * <p>The restored store has the identity of the one that was backed up. Both may be used side by side, in directories of
     * their own; files of one must never be put into the other.
     *
     * @param newDirectory must not exist, or be an empty directory; the directory that it is in exists, and can be written to
     * @param progress told of bytes; if it says that the restore is to stop, nothing of it is left
     * @return false if the progress said that it is to stop
     * @throws NotFoundException if there is no backup with that id
     * @throws InvalidRequestException if the new directory is not empty, or is in that of the backups or of a store
     * @throws CorruptionException if a part of the backup is damaged or missing; it names the file of the repository
     * @throws io.kvstore.error.DiskFullException if there is not enough room
     */
    public static boolean restore(Path repository, long id, Path newDirectory, Progress progress) {
        return run("the restore to " + newDirectory, () -> {
            String name = nameOf(newDirectory);
            Storage from = RealStorage.forReading(repository);
            from.requireApart(newDirectory, OF_BACKUPS);
            from.requireApart(unfinished(newDirectory), OF_BACKUPS);
            requireInNoStore(newDirectory);
            return restore(from, id, parentOf(newDirectory), name, progress);
        });
    }

    static boolean restore(Storage repository, long id, Storage parent, String name, Progress progress)
            throws IOException {
        try (Repository opened = Repository.openForReading(repository)) {
            Backup backup = opened.backup(id);
            try (NewDirectory target = new NewDirectory(parent, name)) {
                boolean isWhole = Restoration.run(opened, backup, target, progress);
                if (isWhole) {
                    target.publish();
                }
                return isWhole;
            }
        }
    }

    /**
     * Makes a database of an open store, of one that a backup has, with its tables as they were in the backup: their names,
     * engines, parameters and entries. The store may be another one than was backed up, and is used meanwhile. The database
     * is there as a whole, durably, when this returns, and nobody sees a part of it before. A failure leaves nothing. The
     * remains of a restore that was killed go when the store is opened again. Tables of a store in memory have no log,
     * whatever the backup says.
     *
     * <p>The files of the tables are restored to a directory in that of the store first, and its entries are copied. So the
     * disk needs room for them twice until this returns. The repository is only read, and another process may read it, too.
     *
     * @param progress told of bytes, about once for each MiB; if it says that the restore is to stop, nothing of it is left
     * @return false if the progress said that it is to stop
     * @throws io.kvstore.error.AlreadyExistsException if the store has a database of the new name, or one is being restored;
     *     nothing was read
     * @throws NotFoundException if there is no backup with that id, or it has no such database
     * @throws InvalidRequestException if the store is read-only, or does not know an engine or a parameter of a table
     * @throws CorruptionException if a part of the backup is damaged or missing; it names the file of the repository
     * @throws io.kvstore.error.DiskFullException if there is not enough room
     * @throws io.kvstore.error.StoreClosedException if the store is closed meanwhile
     */
    public static boolean restoreDatabase(Path repository, DatabaseRestore what, KVStore into, Progress progress) {
        return run(
                "the restore of database " + what.database(),
                () -> DatabaseRestoration.run(RealStorage.forReading(repository), what, into, progress));
    }

    /**
     * Deletes a backup, and the bytes that no other one needs. All other backups stay as they are. If the manifest of another
     * one is damaged, no bytes are deleted: delete that one, too.
     *
     * @throws NotFoundException if there is no backup with that id
     */
    public static void delete(Path repository, long id) {
        run("deleting a backup", () -> {
            try (Repository opened = Repository.open(existing(repository))) {
                opened.delete(List.of(id));
                return null;
            }
        });
    }

    /**
     * Deletes all backups but the newest ones, as {@link #delete} does.
     *
     * @param count how many stay, at least 1
     * @return the ids of those that were deleted
     */
    public static List<Long> keepNewest(Path repository, int count) {
        if (count < 1) {
            throw new InvalidRequestException(
                    "at least 1 backup is kept, not " + count + "; delete the directory instead");
        }
        return run("deleting backups", () -> {
            try (Repository opened = Repository.open(existing(repository))) {
                List<Long> ids = opened.ids();
                List<Long> old = List.copyOf(ids.subList(0, Math.max(0, ids.size() - count)));
                opened.delete(old);
                return old;
            }
        });
    }

    private static Storage existing(Path repository) throws IOException {
        RealStorage.forReading(repository); // makes nothing
        return new RealStorage(repository);
    }

    private static Storage parentOf(Path directory) throws IOException {
        Path parent = directory.toAbsolutePath().getParent();
        if (parent == null) {
            throw new InvalidRequestException(directory + " is not the name of a new directory");
        }
        return existing(parent);
    }

    /** The place of a restore until it is whole. Files of an earlier restore there are deleted first. */
    private static Path unfinished(Path directory) {
        return directory.resolveSibling(NewDirectory.unfinished(String.valueOf(directory.getFileName())));
    }

    private static String nameOf(Path directory) {
        String name = String.valueOf(directory.getFileName()); // a root has none, and is refused for want of a parent
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('\\') >= 0) {
            throw new InvalidRequestException(
                    "\"" + directory + "\" is not the name of a new directory; give a name of its"
                            + " own, without a backslash, such as "
                            + directory.toAbsolutePath().normalize().resolve("new"));
        }
        return name;
    }

    /**
     * Refuses a directory that {@link KVStore#backup} refuses because of its place. Makes nothing.
     *
     * @throws InvalidRequestException if the directory is that of the store or of another one, lies in one, or has that of the
     *     store in it
     */
    public static void requireApart(KVStore store, Path repository) {
        run("looking at " + repository, () -> {
            requireApart(store.parts(), repository);
            return null;
        });
    }

    private static void requireApart(OpenStore store, Path place) throws IOException {
        store.storage().requireApart(place, "the store");
        requireInNoStore(place);
    }

    /**
     * Refuses a place for a file or directory of somebody else in the directory of any store, open or not, behind links too. A
     * store deletes what it does not know in its own directories, and a file of the same name would take the place of its own.
     *
     * @param place need not exist
     * @throws InvalidRequestException if the place is that of a store, or lies in it
     */
    public static void requireInNoStore(Path place) {
        Path store = run("looking at " + place, () -> Neighbourhood.nearest(place, PARTS_OF_STORE));
        if (store != null) {
            throw new InvalidRequestException(
                    place + " is in " + store + ", the directory of a store; give a directory that is apart from it");
        }
    }

    static @Nullable BackupInfo make(OpenStore store, Path repository, Progress progress) {
        return run("the backup to " + repository, () -> {
            requireApart(store, repository);
            return make(store, new RealStorage(repository), progress);
        });
    }

    static @Nullable BackupInfo make(OpenStore store, Storage repository, Progress progress) throws IOException {
        Repository.requireEmptyOrOwn(repository); // before the checkpoint
        Backup made = held(store, hold -> BackupJob.run(hold, repository, progress));
        return made == null ? null : BackupInfo.of(made);
    }

    /** Makes something of a held state of a store. */
    @FunctionalInterface
    private interface FromHold<T extends @Nullable Object> {
        T make(StoreHold hold) throws IOException;
    }

    /**
     * Makes something of the state of a store. If writers fill the log before the job has copied it, nothing is made, and the
     * next attempt begins with another checkpoint, which makes the log short again.
     */
    private static <T extends @Nullable Object> T held(OpenStore store, FromHold<T> job) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try (StoreHold hold = store.hold()) {
                try {
                    return job.make(hold);
                } catch (OverloadedException e) {
                    if (attempt == MOST_HOLDS || !hold.lostLog()) {
                        throw e;
                    }
                    Notices.debug(Backups.class, null, "the log was full before it was copied, attempt " + attempt, e);
                }
            }
        }
    }

    static void copy(OpenStore store, Path newDirectory) {
        run("the copy to " + newDirectory, () -> {
            String name = nameOf(newDirectory);
            requireApart(store, newDirectory);
            store.storage().requireApart(unfinished(newDirectory), "the store");
            copy(store, parentOf(newDirectory), name);
            return null;
        });
    }

    static void copy(OpenStore store, Storage parent, String name) throws IOException {
        NewDirectory.requireNothing(parent, name); // before the checkpoint
        held(store, hold -> {
            try (NewDirectory target = new NewDirectory(parent, name)) {
                StoreCopy.run(hold, target);
                target.publish();
                return null;
            }
        });
    }
}
