package io.kvstore;

import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A file outside of any store.
 *
 * @param storage of the file's directory
 * @param name in that directory
 */
record FilePlace(Storage storage, String name) {

    /** A file that is to be written, in a directory that exists. */
    static FilePlace forWriting(Path file) throws IOException {
        Path directory = directoryOf(file);
        RealStorage.forReading(directory); // only an existing one
        return new FilePlace(new RealStorage(directory), nameOf(file));
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
        Path name = file.getFileName();
        if (name == null) {
            throw new InvalidRequestException(file + " is not the name of a file");
        }
        return name.toString();
    }
}
