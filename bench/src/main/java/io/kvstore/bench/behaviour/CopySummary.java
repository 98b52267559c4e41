package io.kvstore.bench.behaviour;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All windows beside a writer, by the kind of copy. The puts of single windows differ by a factor of three with what
 * compactions and checkpoints do then, so those of a kind are one sum, over one sum of seconds.
 */
final class CopySummary {

    private final String without;
    private final String compared;
    private final Map<String, List<CopyWindow>> windows = new LinkedHashMap<>();

    /**
     * Makes a summary of no windows.
     *
     * @param without the kind with no copy, with whose puts those of the others are compared
     * @param compared the kind with whose speed that of the others is compared
     */
    CopySummary(String without, String compared) {
        this.without = without;
        this.compared = compared;
    }

    void add(String kind, CopyWindow window) {
        windows.computeIfAbsent(kind, any -> new ArrayList<>()).add(window);
    }

    private double putsPerSecond(String kind) {
        List<CopyWindow> all = windows.getOrDefault(kind, List.of());
        double puts = all.stream().mapToDouble(CopyWindow::puts).sum();
        return puts / all.stream().mapToDouble(CopyWindow::seconds).sum();
    }

    private double medianMegabytesPerSecond(String kind) {
        double[] sorted = windows.getOrDefault(kind, List.of()).stream()
                .mapToDouble(CopyWindow::megabytesPerSecond)
                .sorted()
                .toArray();
        int middle = sorted.length / 2;
        return sorted.length == 0
                ? Double.NaN
                : sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    void print(PrintWriter out, String engine) {
        out.printf(Locale.ROOT, "%n%s beside the writer, all windows:%n%n", engine);
        out.printf(Locale.ROOT, "| case | windows | MB/s, median | of %s | puts/s | of %s |%n", compared, without);
        out.println("|---|---|---|---|---|---|");
        windows.forEach((kind, all) -> {
            double speed = medianMegabytesPerSecond(kind);
            boolean isCopy = speed > 0;
            out.printf(
                    Locale.ROOT,
                    "| %s | %d | %s | %s | %.0f | %.2f |%n",
                    kind,
                    all.size(),
                    isCopy ? String.format(Locale.ROOT, "%.0f", speed) : "",
                    isCopy ? String.format(Locale.ROOT, "%.2f", speed / medianMegabytesPerSecond(compared)) : "",
                    putsPerSecond(kind),
                    putsPerSecond(kind) / putsPerSecond(without));
        });
        out.println();
        out.flush();
    }
}
