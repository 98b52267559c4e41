package io.kvstore.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Where the lines come from of which a command makes its report: a run now, or the files of earlier ones. */
public final class FigureSource {

    @Option(
            names = "--from",
            split = ",",
            description = "Measure nothing: report what these files of figures hold, of one or several runs.")
    private List<Path> from = List.of();

    /** A run now. */
    @FunctionalInterface
    public interface Run {
        List<String> measure() throws IOException, InterruptedException;
    }

    /** Whether nothing is measured. */
    public boolean isEarlier() {
        return !from.isEmpty();
    }

    public List<String> lines(Run run) throws IOException, InterruptedException {
        if (from.isEmpty()) {
            return run.measure();
        }
        List<String> lines = new ArrayList<>();
        for (Path file : from) {
            lines.addAll(Files.readAllLines(file));
        }
        return lines;
    }
}
