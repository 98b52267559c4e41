package io.kvstore.io;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Finds the directory of a store as the system would, and makes the directories of its path that are missing. The path is never
 * shortened by its text: {@code link/../data} is beside the target of the link. A failure leaves no new directory behind.
 */
final class RootDirectory {

    /** The longest path that systems take, less the longest name that a store makes below its directory. */
    private static final int MOST_PATH_BYTES = 4_096 - 96;

    private RootDirectory() {}

    /** Makes a directory whose parent exists, durably. */
    @FunctionalInterface
    interface Maker {
        void make(Path directory) throws IOException;
    }

    /**
     * A place behind all links.
     *
     * @param existing the real path of the nearest directory that exists
     * @param missing the names below it that do not exist
     */
    private record Place(Path existing, Deque<String> missing) {

        Path path() {
            Path path = existing;
            for (String name : missing) {
                path = path.resolve(name);
            }
            return path;
        }
    }

    /** The real path of the store's directory. The directory exists when this returns. */
    static Path of(Path given, Maker maker) throws IOException {
        Place place = find(given);
        Path wanted = place.path();
        if (wanted.toString().getBytes(StandardCharsets.UTF_8).length > MOST_PATH_BYTES) {
            throw new IOException(
                    "the path of the directory is too long: it has more than " + MOST_PATH_BYTES + " bytes");
        }
        make(place.existing(), place.missing(), maker);
        return wanted;
    }

    /** The real path of a directory, and of one that does not exist, if it were made. Makes nothing. */
    static Path wouldBe(Path given) throws IOException {
        return find(given).path();
    }

    private static Place find(Path given) throws IOException {
        Path existing = given.toAbsolutePath();
        Deque<String> missing = new ArrayDeque<>();
        for (Path parent = existing.getParent();
                parent != null && !Files.exists(existing, LinkOption.NOFOLLOW_LINKS);
                parent = parent.getParent()) {
            missing.push(String.valueOf(existing.getFileName()));
            existing = parent;
        }
        Path real = realPath(existing);
        if (!Files.isDirectory(real)) {
            throw new IOException(existing + " is not a directory");
        }
        missing.removeIf("."::equals);
        if (missing.contains("..")) {
            throw new NoSuchFileException(given.toString(), null, "it leads up from a directory that does not exist");
        }
        return new Place(real, missing);
    }

    private static Path realPath(Path path) throws IOException {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            if (Files.isSymbolicLink(path)) {
                throw new IOException(path + " is a symbolic link that leads nowhere", e);
            }
            throw e;
        }
    }

    private static void make(Path parent, Deque<String> names, Maker maker) throws IOException {
        List<Path> made = new ArrayList<>();
        try {
            Path next = parent;
            for (String name : names) {
                next = next.resolve(name);
                if (!Files.isDirectory(next)) { // another process may make it at the same time
                    maker.make(next);
                    made.addFirst(next);
                }
            }
        } catch (Throwable e) {
            remove(made);
            throw e;
        }
    }

    /** Removes directories that were made, the last one first, as far as they are empty. */
    static void remove(List<Path> made) {
        for (Path directory : made) {
            try {
                Files.deleteIfExists(directory);
            } catch (IOException e) {
                return; // the directory is in use already
            }
        }
    }
}
