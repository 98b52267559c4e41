package io.kvstore.io;

import java.io.IOException;
import java.util.List;

/**
 * All that the store knows of a file system. Paths are relative to the store's directory, parts separated by {@code /};
 * {@code ""} is the directory itself. Every method may be called from any thread, and an interrupt of the calling thread
 * neither ends an operation nor closes a file: the flag is set again when the method returns.
 *
 * <p>What a crash leaves (implementations for tests make it as bad as this): a file keeps what was written before its last
 * {@link StorageFile#sync()}; of later writes any subset of 512-byte sectors, in any order. A directory keeps the entries
 * that existed at its last {@link #syncDirectory}; of later creations, renames and deletions any subset, except that a
 * rename is never half done.
 *
 * <p>What the system has not at the moment is a {@link RefusedException}: a full disk or quota a {@link NoSpaceException}, a
 * file that cannot be opened a {@link NotOpenedException}. Every other failure is a plain {@link IOException}. Paths lead
 * through no symbolic link.
 */
public interface Storage {

    /** Creates a file that must not exist, open for reading and writing. */
    StorageFile create(String path) throws IOException;

    /** Opens an existing file for reading and writing. */
    StorageFile open(String path) throws IOException;

    /** Opens an existing file for reading; writing through it fails. */
    StorageFile openReadOnly(String path) throws IOException;

    /** Maps the first {@code bytes} bytes of an existing file, which must be at least that long, for reading and writing. */
    WritableMapping map(String path, long bytes) throws IOException;

    /** Maps the first {@code bytes} bytes, at least one, of an existing file that is that long and does not change any more. */
    ReadMapping mapReadOnly(String path, long bytes) throws IOException;

    /** Whether a file or directory of that path exists. */
    boolean exists(String path) throws IOException;

    /** The simple names of the files and directories in a directory, sorted; empty if there is no such directory. */
    List<String> list(String directory) throws IOException;

    /** Creates a directory whose parent exists; does nothing if it is there already. */
    void createDirectory(String path) throws IOException;

    /** Deletes a file or an empty directory; does nothing if it does not exist. Open files stay readable. */
    void delete(String path) throws IOException;

    /** Renames a file in one step, replacing what had the new name. */
    void rename(String from, String to) throws IOException;

    /** Makes the creations, renames and deletions in a directory durable. */
    void syncDirectory(String directory) throws IOException;

    /** Opens a directory that exists, to sync it later. */
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

    /** Bytes that can still be written. */
    long freeBytes() throws IOException;

    /**
     * Takes the exclusive lock of a path, which holds across processes until it is closed.
     *
     * @throws io.kvstore.error.StoreLockedException if it is held, by this process or another
     */
    StorageLock lock(String path) throws IOException;

    /**
     * Takes the lock of a path together with others who only read, and writes nothing.
     *
     * @throws io.kvstore.error.StoreLockedException if {@link #lock} holds it
     */
    default StorageLock lockShared(String path) throws IOException {
        return lock(path);
    }

    /** Files, mappings and locks that are open now. Tests compare it before and after. */
    int openResources();

    /** Deletes a directory with all it holds; does nothing if it does not exist. */
    default void deleteTree(String path) throws IOException {
        for (String name : list(path)) {
            deleteTree(path + "/" + name);
        }
        delete(path);
    }
}
