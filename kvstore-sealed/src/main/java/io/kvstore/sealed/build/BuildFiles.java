package io.kvstore.sealed.build;

import io.kvstore.error.Closing;
import io.kvstore.error.StoreLockedException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.io.StorageLock;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of one build. They have the name of the file to be, a random number and {@code .tmp}, so that two builds of one
 * name do not meet: the one that ends last has its file there. A lock file stays locked while the build is under way. Files
 * whose lock is free were left by a process that died, and go with the next build of the name.
 */
final class BuildFiles implements AutoCloseable {

    private static final String TEMPORARY = ".tmp";

    /** What follows the name of the file to be, and a dot. */
    private static final Pattern OF_BUILD = Pattern.compile("([0-9a-f]{16})(-[a-z0-9]+)?\\.tmp");

    private final Storage storage;
    private final String path;
    private final String stem;
    private final StorageLock lock;
    private final List<StorageFile> open = new ArrayList<>();
    private final Set<String> made = new TreeSet<>();
    private boolean closed;

    private BuildFiles(Storage storage, String path, String stem, StorageLock lock) {
        this.storage = storage;
        this.path = path;
        this.stem = stem;
        this.lock = lock;
        made.add(stem + TEMPORARY);
    }

    /** @param path the name of the file to be */
    static BuildFiles begin(Storage storage, String path) throws IOException {
        sweep(storage, path);
        String stem = path + "." + HexFormat.of().toHexDigits(new SecureRandom().nextLong());
        return new BuildFiles(storage, path, stem, storage.lock(stem + TEMPORARY));
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
        StorageFile file = storage.create(temporary);
        made.add(temporary);
        open.add(file);
        return file;
    }

    /** Gives a file, which is durable, the name that was asked for. */
    void publish(StorageFile file) throws IOException {
        storage.rename(file.path(), path);
        made.remove(file.path());
        storage.syncDirectory(directoryOf(path));
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
            closing.attempt(lock);
        }
    }
}
