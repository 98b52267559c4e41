package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All bytes of the files of a directory, as checksums. */
record DirectoryBytes(Map<String, Integer> files) {

    private static final int ATTEMPTS = 200;

    static DirectoryBytes of(Path directory) throws IOException {
        Map<String, Integer> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(directory.relativize(file).toString(), Arrays.hashCode(Files.readAllBytes(file)));
            }
        }
        return new DirectoryBytes(files);
    }

    /** Copies all files but the lock, as a kill leaves them at a moment when no file comes or goes. */
    static void copy(Path from, Path to) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Path copy = to.resolveSibling(to.getFileName() + "." + attempt);
            List<String> names = names(from);
            if (copyAll(from, names, copy) && names.equals(names(from))) {
                Files.move(copy, to);
                return;
            }
        }
        throw new IOException("files of " + from + " come and go all the time");
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.map(path -> directory.relativize(path).toString())
                    .filter(name -> !name.endsWith("LOCK") && !name.endsWith(".tmp"))
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            return List.of(); // a file went meanwhile, so this is no list of a moment
        }
    }

    /** False if a file went meanwhile. */
    private static boolean copyAll(Path from, List<String> names, Path to) throws IOException {
        try {
            for (String name : names) {
                if (Files.isDirectory(from.resolve(name))) {
                    Files.createDirectories(to.resolve(name));
                } else {
                    Files.copy(from.resolve(name), to.resolve(name));
                }
            }
            return !names.isEmpty();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    void requireSame(Path directory) throws IOException {
        assertEquals(files, of(directory).files);
    }
}
