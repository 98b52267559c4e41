package io.kvstore.io;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a file system that the store uses. Paths are relative to the store's directory, parts separated by {@code /};
 * {@code ""} is the directory itself. Every method may be called from any thread, and an interrupt of the calling thread
 * neither ends an operation nor closes a file: the interrupt flag is set again when the method returns.
 *
 * <p>After a crash no more than the following holds, and implementations for tests make a crash as bad as that. A file keeps
 * the bytes that were written before its last {@link StorageFile#sync()}, and any subset of the 512-byte sectors that were
 * written later, in any order. A directory keeps the entries that existed at its last {@link #syncDirectory}, and any subset of
 * the later creations, renames and deletions, except that a rename is never half done.
 *
 * <p>A lack of resources is a {@link RefusedException}: a full disk or quota is a {@link NoSpaceException}, a file that cannot
 * be opened is a {@link NotOpenedException}. Every other failure is a plain {@link IOException}. Paths lead through no symbolic
 * link.
 */
public interface Storage {

    /** Creates a file that must not exist, open for reading and writing. */
    StorageFile create(String path) throws IOException;

    /** Opens an existing file for reading and writing. */
    StorageFile open(String path) throws IOException;

    /** Opens an existing file for reading. A write through it fails. */
    StorageFile openReadOnly(String path) throws IOException;

    /**
     * Opens an existing file that one thread reads once, from front to back. Meant for copies and checks of whole files: their
     * bytes go past the system's cache of files as far as that is possible and the cache does not have them already. Bytes that
     * are written to the file meanwhile may be seen late. In all other respects this is like {@link #openReadOnly}.
     */
    default StorageFile openSequential(String path) throws IOException {
        return openReadOnly(path);
    }

    /**
     * What the file system below lacks, and the store does without. Asked once, when a store is opened. Without
     * {@link FileSystemAbility#MAPPED_FILES} all calls of {@link #map} and {@link #mapReadOnly} fail.
     */
    default Set<FileSystemAbility> missingAbilities() {
        return Set.of();
    }

    /** Maps the first {@code bytes} bytes of an existing file for reading and writing. The file must be at least that long. */
    WritableMapping map(String path, long bytes) throws IOException;

    /**
     * Maps the first {@code bytes} bytes, at least one, of an existing file for reading. The file must be at least that long,
     * and must not change any more.
     */
    ReadMapping mapReadOnly(String path, long bytes) throws IOException;

    boolean exists(String path) throws IOException;

    /** The length of a file. */
    default long size(String path) throws IOException {
        try (StorageFile file = openReadOnly(path)) {
            return file.size();
        }
    }

    /** The simple names of the files and directories in a directory, sorted. Empty if there is no such directory. */
    List<String> list(String directory) throws IOException;

    /** Creates a directory whose parent exists. Does nothing if the directory exists already. */
    void createDirectory(String path) throws IOException;

    /** Deletes a file or an empty directory. Does nothing if it does not exist. Open files stay readable. */
    void delete(String path) throws IOException;

    /**
     * Renames a file or a directory in one step. A file that had the new name is replaced by a file, and an empty directory by
     * a directory; the rest is refused. Directories are renamed only where something outlives the process.
     */
    void rename(String from, String to) throws IOException;

    /**
     * Makes a file, which must not exist, of a file that may lie outside of the storage. The new file is a link to the other
     * one where that can be, and a copy elsewhere. So nobody may change the bytes of the other one any more.
     *
     * @throws io.kvstore.error.InvalidRequestException if {@code source} leads to something that is not a file
     */
    default void adopt(ForeignFile source, String path) throws IOException {
        source.copyTo(this, path);
    }

    /** A file of this storage as another one may {@linkplain #adopt adopt} it; null if it lies in no file system. */
    default @Nullable ForeignFile foreign(String path) {
        return null;
    }

    /**
     * Whether the bytes of a file may be those of another file too, because of a link, so that nobody may write over them.
     * Files that this storage made have no links unless they were adopted, here or elsewhere.
     */
    default boolean mayBeLinked(String path) throws IOException {
        return false;
    }

    /**
     * Refuses a place for other files that is the directory of this storage, lies in it, or has it in it, behind all links. The
     * place need not exist, and nothing is made. A storage that lies in no file system is apart from every place.
     *
     * @param owner whose directory this is, for the message, such as "the store"
     * @throws io.kvstore.error.InvalidRequestException if the place is not apart from the directory
     */
    default void requireApart(Path place, String owner) throws IOException {
        // nothing of this storage is at a place
    }

    /** Makes the creations, renames and deletions in a directory durable. */
    void syncDirectory(String directory) throws IOException;

    /** Opens an existing directory, to sync it later. */
    default StorageDirectory openDirectory(String directory) throws IOException {
        return new StorageDirectory() {
            @Override
            public void sync() throws IOException {
                syncDirectory(directory);
            }

            @Override
            public void close() {
                // nothing was opened
            }
        };
    }

    long freeBytes() throws IOException;

    /**
     * Takes the exclusive lock of a path. The lock holds across processes until it is closed.
     *
     * @throws io.kvstore.error.StoreLockedException if the lock is held, by this process or another one
     */
    StorageLock lock(String path) throws IOException;

    /**
     * Takes the lock of a path, shared with other owners that only read. Writes nothing.
     *
     * @throws io.kvstore.error.StoreLockedException if the lock is held by {@link #lock}
     */
    default StorageLock lockShared(String path) throws IOException {
        return lock(path);
    }

    /**
     * Whether nothing in the storage outlives the process, so that there is nothing to make durable. A store in such a storage
     * has no logged tables and makes no checkpoints.
     */
    default boolean isVolatile() {
        return false;
    }

    /** Number of files, mappings and locks that are open now. Tests compare this number before and after. */
    int openResources();

    /** Deletes a directory with everything in it. Does nothing if the directory does not exist. */
    default void deleteTree(String path) throws IOException {
        for (String name : list(path)) {
            deleteTree(path + "/" + name);
        }
        delete(path);
    }
}
