package io.kvstore.bench;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where a command makes its stores. */
final class Place {

    @Option(
            names = "--directory",
            defaultValue = ".",
            description = "Where the stores are made and removed again. Default: ${DEFAULT-VALUE}")
    private Path directory = Path.of(".");

    Path directory() {
        return directory;
    }
}
