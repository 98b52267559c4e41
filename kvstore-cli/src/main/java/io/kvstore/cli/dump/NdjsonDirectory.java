package io.kvstore.cli.dump;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The names in a directory of NDJSON, and how it gets and loses them. */
final class NdjsonDirectory {

    /** The definitions. It is written last. */
    static final String DEFINITIONS = "tables.ndjson";

    private static final String END = ".ndjson";
    private static final String UNFINISHED = ".unfinished";

    private NdjsonDirectory() {}

    /** The file of a table, whose names must be good ones: others could lead out of the directory. */
    static Path fileOf(Path directory, TableDefinition table) {
        Path file = directory.resolve(table.database()).resolve(table.table() + END);
        Path base = directory.toAbsolutePath().normalize();
        Path meant = file.toAbsolutePath().normalize();
        if (!meant.startsWith(base) || meant.getNameCount() != base.getNameCount() + 2) {
            throw new CommandFailure(
                    ExitStatus.ERROR,
                    "\"" + table.name() + "\" is no name of a table, and would lead out of " + directory
                            + "; make the dump again");
        }
        return file;
    }

    /** The directory by a name that another one can get in its place, which {@code .} is not. */
    static Path named(Path directory) throws IOException {
        Path last = directory.getFileName();
        boolean isName = last != null && !Set.of("", ".", "..").contains(last.toString());
        return isName || !Files.exists(directory) ? directory : directory.toRealPath();
    }

    /** Makes the directory that is to get the name when it is whole. */
    static Path begin(Path directory) throws IOException {
        if (Files.exists(directory) && !isEmpty(directory)) {
            throw new CommandFailure(
                    ExitStatus.CONDITION_FAILED, directory + " is there and is no empty directory; give a new name");
        }
        Path unfinished = directory.resolveSibling(directory.getFileName() + UNFINISHED);
        if (Files.exists(unfinished)) {
            throw new CommandFailure(
                    ExitStatus.CONDITION_FAILED,
                    unfinished + " is there, of another dump to " + directory + "; delete it if that one has ended");
        }
        return Files.createDirectory(unfinished);
    }

    private static boolean isEmpty(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return false;
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.findFirst().isEmpty();
        }
    }

    static void finish(Path unfinished, Path directory) throws IOException {
        Files.deleteIfExists(directory); // an empty one
        Files.move(unfinished, directory);
    }

    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
