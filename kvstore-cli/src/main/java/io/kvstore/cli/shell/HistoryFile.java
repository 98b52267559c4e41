package io.kvstore.cli.shell;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The lines that were typed in all shells of a user, which nobody else can read. A line is there once, where it was typed last.
 * A line with a token is not there, and neither is one that goes over several lines.
 *
 * @param file of the lines; null if the user has no home
 */
record HistoryFile(@Nullable Path file) {

    static final int MOST_LINES = 1_000;

    private static final Pattern SECRET = Pattern.compile("://[^/ ]*@|(?i:token)[ =:]");

    static HistoryFile of(Map<String, String> environment) {
        String home = environment.get("HOME");
        return new HistoryFile(home == null ? null : Path.of(home, ".local", "state", "kvstore", "history"));
    }

    /** The lines, oldest first. */
    List<String> read() throws IOException {
        return file == null || !Files.exists(file)
                ? List.of()
                : new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                        .lines()
                        .toList();
    }

    /** Adds lines behind those that other shells have written meanwhile. */
    void add(Collection<String> lines) throws IOException {
        if (file == null) {
            return;
        }
        SequencedSet<String> all = new LinkedHashSet<>();
        read().forEach(all::addLast);
        lines.stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty()
                        && line.indexOf('\n') < 0
                        && !SECRET.matcher(line).find())
                .forEach(all::addLast);
        List<String> kept = new ArrayList<>(all);
        kept = kept.subList(Math.max(0, kept.size() - MOST_LINES), kept.size());
        Path directory = file.toAbsolutePath().getParent();
        Files.createDirectories(directory);
        boolean isPosix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] owned = isPosix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
        Path written = Files.createTempFile(directory, "history", ".tmp", owned);
        try {
            Files.write(written, kept, StandardCharsets.UTF_8);
            Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(written); // of a disk that is full
        }
    }
}
