package io.kvstore.bench.offroad;

import io.kvstore.bench.measure.ChildJvm;
import io.kvstore.bench.measure.FigureFile;
import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.store.ContenderKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures the off-road set: in each round, each row of each store in a JVM of its own, the stores one after the other.
 *
 * @param directory where the stores are made and removed again
 * @param rounds how often each row is measured
 * @param rows the names of the rows; none means all
 * @param subjects parts of the names of the stores
 * @param part entries and operations are divided by it
 * @param budgetMib memory for caches, page buffers and memtables, in MiB
 * @param quietMillis where a row waits for rest, a process must have been at rest for so long
 */
public record OffRoad(
        Path directory,
        int rounds,
        List<String> rows,
        List<String> subjects,
        int part,
        long budgetMib,
        long quietMillis) {

    /** In front of the figures of each round. */
    private static final String ROUND = "round";

    /** The names of all rows. */
    public static List<String> names() {
        return Row.ALL.stream().map(Row::name).toList();
    }

    /** Measures, and returns the lines from which {@link #report} makes a report. They are also kept in a file. */
    public List<String> measure() throws IOException, InterruptedException {
        FigureFile file = new FigureFile(directory, "off-road");
        for (int round = 1; round <= rounds; round++) {
            file.keep(ROUND + " " + round);
            for (Row row : chosen()) {
                for (ContenderKind kind : ContenderKind.values()) {
                    if (row.has(kind) && subjects.stream().anyMatch(kind.name()::contains)) {
                        measure(file, round, row, kind);
                    }
                }
            }
        }
        return file.lines();
    }

    private List<Row> chosen() {
        return Row.ALL.stream()
                .filter(row -> rows.isEmpty() || rows.contains(row.name()))
                .toList();
    }

    private void measure(FigureFile file, int round, Row row, ContenderKind kind) throws InterruptedException {
        List<String> printed = new ArrayList<>();
        try {
            ChildJvm.run(
                    directory,
                    kind.jvmFlags(),
                    RowCommand.arguments(row.name(), kind, part, budgetMib, quietMillis),
                    printed::add);
        } catch (IOException e) {
            // The figures of the other rows are worth having.
            System.err.println(ROUND + " " + round + ", " + row.name() + ", " + kind + ": " + e.getMessage());
            return;
        }
        Figures figures = Figures.parse(printed);
        figures.under(row.name() + "." + kind).lines().forEach(file::keep);
        System.err.printf(
                Locale.ROOT, "%s %d, %s, %s: %,.0f/s%n", ROUND, round, row.name(), kind, figures.get("opsPerSecond"));
    }

    /** The report of lines that {@link #measure} returned, of one or several runs. */
    public List<String> report(List<String> lines) {
        List<Row> parts = chosen().stream().map(row -> row.part(part)).toList();
        return new OffRoadReport(parts, FigureFile.rounds(lines, ROUND)).lines();
    }
}
