package io.kvstore;

import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/**
 * A file outside of any store.
 *
 * @param storage of the file's directory
 * @param name in that directory
 */
record FilePlace(Storage storage, String name) {

    private static final Set<String> NO_NAMES = Set.of("", ".", "..");

    /** A file that is to be written, in a directory that exists. */
    static FilePlace forWriting(Path file) throws IOException {
        Path directory = directoryOf(file);
        RealStorage.forReading(directory); // only an existing one
        String name = nameOf(file); // before anything is tried in the directory
        return new FilePlace(new RealStorage(directory), name);
    }

    /** A file that exists, behind all links. */
    static FilePlace forReading(Path file) throws IOException {
        Path real = file.toRealPath();
        return new FilePlace(RealStorage.forReading(directoryOf(real)), nameOf(real));
    }

    private static Path directoryOf(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        if (parent == null) {
            throw new InvalidRequestException(file + " is not the name of a file");
        }
        return parent;
    }

    private static String nameOf(Path file) {
        String name = String.valueOf(file.getFileName());
        if (file.getFileName() == null || NO_NAMES.contains(name)) {
            throw new InvalidRequestException(file + " is not the name of a file");
        }
        if (name.indexOf('\\') >= 0) {
            throw new InvalidRequestException(
                    file + " has a backslash in its name, which no table file can have; give it another name");
        }
        return name;
    }
}
