package io.kvstore.cli.tablefile;

import io.kvstore.TableFile;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** The argument that names a table file. */
final class GivenFile {

    @Parameters(index = "0", paramLabel = "FILE", description = "The table file.")
    private @Nullable Path file;

    Path path() {
        if (file == null) {
            throw new IllegalStateException("no file was given");
        }
        if (!Files.exists(file)) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND, file + " is not there; 'kvstore build " + file + " ROWS' makes it");
        }
        if (!Files.isRegularFile(file)) {
            throw new CommandFailure(ExitStatus.ERROR, file + " is no file; give the name of a table file");
        }
        return file;
    }

    TableFile open() {
        return TableFile.open(path());
    }
}
