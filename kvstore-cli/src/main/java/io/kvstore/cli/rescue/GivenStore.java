package io.kvstore.cli.rescue;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Directories that a command line names. */
final class GivenStore {

    private GivenStore() {}

    /** A directory that is there. */
    static Path existing(@Nullable Path directory) {
        if (directory == null) {
            throw new IllegalStateException("no directory was given");
        }
        if (!Files.isDirectory(directory)) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    Files.exists(directory)
                            ? directory + " is no directory; give the directory of a store, or of backups"
                            : "there is no directory " + directory);
        }
        return directory;
    }

    /** A directory that is a store: opening an empty one would make a store there. */
    static Path store(@Nullable Path directory) {
        Path found = existing(directory);
        if (!Files.exists(found.resolve("CATALOG"))) {
            throw new CommandFailure(ExitStatus.NOT_FOUND, "there is no store in " + found);
        }
        return found;
    }
}
