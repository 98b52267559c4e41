package io.kvstore.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The directory in which a command makes its stores. */
public final class Place {

    @Option(
            names = "--directory",
            defaultValue = ".",
            description =
                    "Where the stores are made and removed again; made if it is not there. Default: ${DEFAULT-VALUE}")
    private Path directory = Path.of(".");

    public Path directory() throws IOException {
        return Files.createDirectories(directory);
    }
}
