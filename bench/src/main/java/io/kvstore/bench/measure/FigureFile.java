package io.kvstore.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines from which a command makes its report. They go to a file at once, so that a run that is ended early leaves the
 * figures that it has.
 */
public final class FigureFile {

    private final Path file;
    private final List<String> lines = new ArrayList<>();

    /**
     * Makes the file, and says where it is.
     *
     * @param command a part of the file's name
     */
    public FigureFile(Path directory, String command) throws IOException {
        file = Files.createTempFile(directory, "kvstore-bench-" + command + "-", ".figures");
        System.err.println("figures go to " + file);
    }

    public void keep(String line) {
        lines.add(line);
        try {
            Files.writeString(file, line + System.lineSeparator(), StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The figures of each round. A round begins with a line that begins with {@code mark}. */
    public static List<Figures> rounds(List<String> lines, String mark) {
        List<List<String>> rounds = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith(mark)) {
                rounds.add(new ArrayList<>());
            } else if (!rounds.isEmpty()) {
                rounds.getLast().add(line);
            }
        }
        return rounds.stream().map(Figures::parse).toList();
    }

    /** All lines that were kept. */
    public List<String> lines() {
        return List.copyOf(lines);
    }
}
