package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All bytes of the files of a directory, as checksums. */
record DirectoryBytes(Map<String, Integer> files) {

    static DirectoryBytes of(Path directory) throws IOException {
        Map<String, Integer> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(directory.relativize(file).toString(), Arrays.hashCode(Files.readAllBytes(file)));
            }
        }
        return new DirectoryBytes(files);
    }

    /** Copies all files but the lock, as a kill at this moment leaves them. */
    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else if (!path.endsWith("LOCK")) {
                    Files.copy(path, target);
                }
            }
        }
    }

    void requireSame(Path directory) throws IOException {
        assertEquals(files, of(directory).files);
    }
}
