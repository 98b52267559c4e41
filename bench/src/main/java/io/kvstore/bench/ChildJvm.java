package io.kvstore.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** Starts JVMs like this one, with a heap of 1 GiB. */
final class ChildJvm {

    private ChildJvm() {}

    /** Does one measurement in a JVM of its own and an empty directory below {@code parent}, which it removes. */
    static Figures measure(Measurement measurement, Path parent) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(parent, "kvstore-bench-");
        try {
            List<String> command = command(System.getProperty("java.class.path"), BenchMain.class.getName());
            command.addAll(List.of(MeasureCommand.arguments(measurement, directory)));
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            List<String> lines =
                    process.inputReader(StandardCharsets.UTF_8).lines().toList();
            if (process.waitFor() != 0) {
                throw new IOException(measurement + " failed:\n" + String.join("\n", lines));
            }
            return Figures.parse(lines);
        } finally {
            delete(directory);
        }
    }

    /** The words that start a class in such a JVM; arguments can be added. */
    static List<String> command(String classPath, String mainClass) {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return new ArrayList<>(
                List.of(java.toString(), "-Xmx1g", "--enable-native-access=ALL-UNNAMED", "-cp", classPath, mainClass));
    }

    /** Removes a directory and what is in it. */
    static void delete(Path directory) throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException failure) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
