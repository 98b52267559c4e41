package io.kvstore.io;

import io.kvstore.error.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How places lie to each other, behind all links. A place need not exist. Two directories are the same if the file system says
 * so, and not only if their paths have the same text: a path may differ in case, or lead through another mount.
 */
public final class Neighbourhood {

    private Neighbourhood() {}

    /**
     * Refuses a place that is a directory, lies in it, or has it in it.
     *
     * @param directory exists
     * @param owner whose directory it is, for the message
     */
    static void requireApart(Path directory, Path place, String owner) throws IOException {
        if (!place.getFileSystem().equals(directory.getFileSystem())) {
            return;
        }
        Path real = RootDirectory.wouldBe(place);
        String relation = isSame(real, directory)
                ? "is"
                : isBelow(real, directory) ? "is in" : isBelow(directory, real) ? "has in it" : null;
        if (relation != null) {
            throw new InvalidRequestException(place + " " + relation + " " + directory + ", the directory of " + owner
                    + "; give a directory that is apart from it");
        }
    }

    /**
     * The nearest directory at or above a place that has files or directories of all these names, or null. Nothing is opened.
     *
     * @param place a file or a directory, which need not exist
     */
    public static @Nullable Path nearest(Path place, Set<String> names) throws IOException {
        Path parent = place.toAbsolutePath().getParent();
        Path first = Files.exists(place) || parent == null ? place.toRealPath() : RootDirectory.wouldBe(parent);
        for (Path at = first; at != null; at = at.getParent()) {
            Path directory = at;
            if (names.stream().allMatch(name -> Files.exists(directory.resolve(name), LinkOption.NOFOLLOW_LINKS))) {
                return directory;
            }
        }
        return null;
    }

    private static boolean isBelow(Path inner, Path outer) throws IOException {
        for (Path at = inner.getParent(); at != null; at = at.getParent()) {
            if (isSame(at, outer)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSame(Path one, Path other) throws IOException {
        if (one.equals(other)) {
            return true;
        }
        try {
            return Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other);
        } catch (NoSuchFileException | UnsupportedOperationException e) {
            return false; // one of them has just gone, or the file system tells the text of paths only
        }
    }
}
