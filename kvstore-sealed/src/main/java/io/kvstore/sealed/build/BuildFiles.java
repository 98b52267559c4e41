package io.kvstore.sealed.build;

import io.kvstore.error.Closing;
import io.kvstore.error.StoreLockedException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.io.StorageLock;
import io.kvstore.io.UncertainOutcomeException;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files of one build. They have the name of the file to be, a random number and {@code .tmp}, so that two builds of one
 * name do not meet: the one that ends last has its file there. A lock file stays locked while the build is under way. Files
 * whose lock is free were left by a process that died, and go with the next build of the name.
 */
final class BuildFiles implements AutoCloseable {

    private static final String TEMPORARY = ".tmp";

    /** What follows the name of the file to be, and a dot. */
    private static final Pattern OF_BUILD = Pattern.compile("([0-9a-f]{16})(-[a-z0-9]+)?\\.tmp");

    /** Room for all files of a build, so that a file that was made is noted without memory. */
    private static final int MOST_FILES = 16;

    /** How often a name is chosen. More than one is needed only if another process takes each for that of a dead build. */
    private static final int ATTEMPTS = 8;

    private final Storage storage;
    private final String path;
    private final String stem;
    private final List<StorageFile> open = new ArrayList<>(MOST_FILES);
    private final Set<String> made = new TreeSet<>();
    private @Nullable StorageLock lock;
    private boolean closed;

    private BuildFiles(Storage storage, String path) {
        this.storage = storage;
        this.path = path;
        this.stem = path + "." + HexFormat.of().toHexDigits(new SecureRandom().nextLong());
    }

    /** @param path the name of the file to be */
    static BuildFiles begin(Storage storage, String path) throws IOException {
        sweep(storage, path);
        for (int attempt = 1; ; attempt++) {
            BuildFiles files = new BuildFiles(storage, path);
            try {
                if (files.lock()) {
                    return files;
                }
                files.close();
            } catch (StoreLockedException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            } catch (Throwable e) {
                Closing.giveUp(files, BuildFiles.class, path);
                throw e;
            }
        }
    }

    /** Locks the name. Another process that found the new lock file before it was locked may be deleting it. */
    private boolean lock() throws IOException {
        lock = storage.lock(stem + TEMPORARY);
        made.add(stem + TEMPORARY);
        return storage.exists(stem + TEMPORARY);
    }

    private static String directoryOf(String path) {
        return path.substring(0, Math.max(path.lastIndexOf('/'), 0));
    }

    /** Deletes the files that builds of the name have left. */
    private static void sweep(Storage storage, String path) throws IOException {
        String name = path.substring(path.lastIndexOf('/') + 1) + ".";
        for (String found : storage.list(directoryOf(path))) {
            Matcher matcher = OF_BUILD.matcher(found.startsWith(name) ? found.substring(name.length()) : "");
            if (matcher.matches()) {
                String stem = path + "." + matcher.group(1);
                try (StorageLock _ = storage.lock(stem + TEMPORARY)) {
                    storage.delete(path + "." + matcher.group());
                    storage.delete(stem + TEMPORARY);
                } catch (StoreLockedException e) {
                    // another build of the name is under way, and its files are its own
                }
            }
        }
    }

    /** Makes a file, which is deleted in the end unless it is published. */
    StorageFile create(String purpose) throws IOException {
        String temporary = stem + "-" + purpose + TEMPORARY;
        made.add(temporary);
        StorageFile file = storage.create(temporary);
        open.add(file);
        return file;
    }

    /** Deletes a file that is not needed any more. */
    void delete(StorageFile file) throws IOException {
        open.remove(file);
        try (file) {
            storage.delete(file.path());
        }
        made.remove(file.path());
    }

    /** Gives a file, which is durable, the name that was asked for. */
    void publish(StorageFile file) throws IOException {
        storage.rename(file.path(), path);
        made.remove(file.path());
        try {
            storage.syncDirectory(directoryOf(path));
        } catch (IOException e) {
            // not what the failure was: a full disk would say that the old file is there
            throw new UncertainOutcomeException(
                    path + " is the new file, but a loss of power may bring the old one back; build it again: " + e, e);
        }
    }

    String path() {
        return path;
    }

    /** Closes all files, and deletes those that were not published. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try (Closing closing = new Closing("not all files of the build of " + path + " could be closed")) {
            open.forEach(closing::attempt);
            made.forEach(file -> closing.attempt(() -> storage.delete(file)));
            StorageLock held = lock;
            if (held != null) {
                closing.attempt(held);
            }
        }
    }
}
