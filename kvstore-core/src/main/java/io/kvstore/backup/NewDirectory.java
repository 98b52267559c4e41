package io.kvstore.backup;

import io.kvstore.error.Closing;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.ForeignFile;
import io.kvstore.io.NestedStorage;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.io.StorageLock;
import java.io.IOException;
import java.util.List;

/**
 * A directory of a store that is being made. It has a temporary name beside its own until {@link #publish}, and is deleted by a
 * close without that. A directory that a kill left is deleted by the next one who makes a directory of that name; a lock tells
 * whether somebody is still at it.
 */
public final class NewDirectory implements AutoCloseable {

    private static final String TEMPORARY = ".unfinished";
    private static final String LOCK = "LOCK";

    private final Storage parent;
    private final String name;
    private final String temporary;
    private final StorageLock lock;
    private boolean published;

    /**
     * Begins a directory.
     *
     * @param parent the directory in which it will be
     * @throws InvalidRequestException if there is something of that name, and it is not an empty directory
     */
    public NewDirectory(Storage parent, String name) throws IOException {
        this.parent = parent;
        this.name = name;
        this.temporary = unfinished(name);
        requireNothing(parent, name);
        parent.createDirectory(temporary);
        this.lock = parent.lock(temporary + "/" + LOCK);
        boolean complete = false;
        try {
            deleteContent();
            complete = true;
        } finally {
            if (!complete) {
                lock.close();
            }
        }
    }

    /** The temporary name of a directory. What a killed process left there is deleted. */
    public static String unfinished(String name) {
        return name + TEMPORARY;
    }

    /**
     * Refuses a name under which no new directory can be made. Makes nothing.
     *
     * @throws InvalidRequestException if there is something of that name, and it is not an empty directory
     */
    public static void requireNothing(Storage parent, String name) throws IOException {
        if (!parent.list(name).isEmpty()) {
            throw new InvalidRequestException(
                    name + " in " + parent + " is not empty, and a store is restored or copied to a new directory only;"
                            + " give another name");
        }
    }

    private void deleteContent() throws IOException {
        for (String left : parent.list(temporary)) {
            if (!left.equals(LOCK)) {
                parent.deleteTree(temporary + "/" + left);
            }
        }
    }

    Storage storage() {
        return parent;
    }

    /** The files of the new directory. */
    Storage files() {
        return new NestedStorage(parent, temporary);
    }

    /** Where a path of the new directory is now. */
    String path(String below) {
        return temporary + "/" + below;
    }

    void make(List<String> directories) throws IOException {
        for (String directory : directories) {
            parent.createDirectory(path(directory));
        }
    }

    StorageFile create(String path) throws IOException {
        return parent.create(path(path));
    }

    /** Makes a file of one that never changes any more, as a link if that can be. */
    void adopt(ForeignFile file, String path) throws IOException {
        parent.adopt(file, path(path));
        try (StorageFile adopted = parent.open(path(path))) {
            adopted.sync();
        }
    }

    /** Makes the names in the directories, and in the new directory itself, durable. */
    void sync(List<String> directories) throws IOException {
        for (String directory : directories) {
            parent.syncDirectory(path(directory));
        }
        parent.syncDirectory(temporary);
    }

    /**
     * Gives the directory its name. All files in it are durable. The directory is locked until it has the name: another process
     * that makes a directory of the same name takes an unlocked one for the rest of a killed process, and deletes its files.
     */
    public void publish() throws IOException {
        requireNothing(parent, name);
        parent.rename(temporary, name); // fails if there is a file of that name
        published = true;
        lock.close();
        parent.syncDirectory("");
    }

    /** The files go before the lock does: afterwards the directory may have files of another process. */
    @Override
    public void close() throws IOException {
        if (!published) {
            try (Closing closing = new Closing(temporary + " could not be deleted")) {
                closing.attempt(() -> {
                    deleteContent();
                    parent.delete(temporary + "/" + LOCK);
                });
                closing.attempt(lock);
                closing.attempt(this::deleteEmpty);
            }
        }
    }

    private void deleteEmpty() throws IOException {
        try {
            parent.delete(temporary);
        } catch (IOException e) {
            if (parent.list(temporary).isEmpty()) {
                throw e;
            }
            // the files in it are those of another process, or could not be deleted before
        }
    }
}
