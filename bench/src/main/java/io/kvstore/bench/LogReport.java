package io.kvstore.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/** The results of the log's rows as a table, and the ratios that matter below it. */
record LogReport(Map<Measurement, List<Figures>> results) {

    private static final String RATE = "opsPerSecond";

    /** What a row is called. */
    static String row(Measurement measurement) {
        return measurement.load().title() + ", " + measurement.threads()
                + (measurement.threads() == 1 ? " thread" : " threads");
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(
                "| Row | Subject | k/s | spread | mean us | p50 | p99 | p99.9 | max ms | puts/sync | CPU us/put | MiB/s |");
        lines.add("|---|---|---|---|---|---|---|---|---|---|---|---|");
        results.forEach((measurement, figures) -> lines.add(line(measurement, figures)));
        lines.add("");
        for (Load load : Load.values()) {
            results.keySet().stream()
                    .filter(measurement -> measurement.load() == load)
                    .map(Measurement::threads)
                    .distinct()
                    .forEach(threads -> addRatios(lines, load, threads));
        }
        return lines;
    }

    private static String line(Measurement measurement, List<Figures> all) {
        Figures median = Figures.median(all);
        double syncs = median.get("syncs");
        return String.format(
                Locale.ROOT,
                "| %s | %s | %.1f | %.2f | %.1f | %.1f | %.0f | %.0f | %.1f | %s | %.1f | %.0f |",
                row(measurement),
                measurement.subject().title(),
                median.get(RATE) / 1e3,
                Figures.spread(all, RATE),
                median.get("meanMicros"),
                median.get("p50Micros"),
                median.get("p99Micros"),
                median.get("p99.9Micros"),
                median.get("maxMicros") / 1e3,
                syncs > 0 ? String.format(Locale.ROOT, "%.1f", median.get("ops") / syncs) : "-",
                median.get("cpuMicrosPerOp"),
                median.get("writtenMiB") / median.get("seconds"));
    }

    private void addRatios(List<String> lines, Load load, int threads) {
        double rocks = best(load, threads, SubjectKind::isRocks);
        double device = best(load, threads, subject -> subject == SubjectKind.DEVICE);
        for (Measurement measurement : results.keySet()) {
            if (measurement.subject().isOurs() && measurement.load() == load && measurement.threads() == threads) {
                double ours = Figures.median(results.get(measurement)).get(RATE);
                lines.add("- " + row(measurement) + ", " + measurement.subject().title() + ":"
                        + ratio(ours, rocks, " best RocksDB") + ratio(ours, device, " write + fdatasync"));
            }
        }
    }

    private static String ratio(double ours, double theirs, String name) {
        return theirs == 0 ? "" : String.format(Locale.ROOT, " %.2f x%s", ours / theirs, name);
    }

    private double best(Load load, int threads, Predicate<SubjectKind> which) {
        return results.entrySet().stream()
                .filter(one -> one.getKey().load() == load && one.getKey().threads() == threads)
                .filter(one -> which.test(one.getKey().subject()))
                .mapToDouble(one -> Figures.median(one.getValue()).get(RATE))
                .max()
                .orElse(0);
    }
}
