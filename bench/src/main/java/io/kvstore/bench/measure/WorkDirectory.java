package io.kvstore.bench.measure;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A new directory, which goes with its contents when this is closed. A failure to remove it does not hide what failed before:
 * use it in a try statement.
 */
public record WorkDirectory(Path path) implements AutoCloseable {

    /** Makes a directory in another one. */
    public static WorkDirectory in(Path parent) throws IOException {
        return new WorkDirectory(Files.createTempDirectory(parent, "kvstore-bench-"));
    }

    @Override
    public void close() throws IOException {
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
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
