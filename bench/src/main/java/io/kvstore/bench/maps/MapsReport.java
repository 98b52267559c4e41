package io.kvstore.bench.maps;

import io.kvstore.bench.maps.MapCommand.Part;
import io.kvstore.bench.measure.FigureFile;
import io.kvstore.bench.measure.Figures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.DoubleStream;

/**
 * The report: rates, ratios and memory.
 *
 * @param entries the entries of a map, as they were measured
 * @param rounds the figures of each round, under the names of a kind of keys and a map
 * @param failures the maps that could not be measured, each with the reason
 */
record MapsReport(String entries, List<Figures> rounds, List<String> failures) {

    /** In front of the number of entries. */
    static final String ENTRIES = "entries ";

    /** In front of the figures of each round. */
    static final String ROUND = "round ";

    /** In front of a map that could not be measured. */
    static final String FAILED = "failed ";

    private static final String RATE = "opsPerSecond";
    private static final List<MapKind> OTHERS =
            Arrays.stream(MapKind.values()).filter(kind -> !kind.isOurs()).toList();

    /** The name of the figures of a map. */
    static String name(MapRun run, Part part) {
        return run.keys() + "." + run.kind() + "." + part;
    }

    /** Reads lines that {@link MapsCommand} kept, of one or several runs. */
    static MapsReport parse(List<String> lines) {
        String entries = "";
        List<String> failures = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith(ENTRIES)) {
                entries = line.substring(ENTRIES.length());
            } else if (line.startsWith(FAILED)) {
                failures.add(line.substring(FAILED.length()));
            }
        }
        return new MapsReport(entries, FigureFile.rounds(lines, ROUND), failures);
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(
                "- " + entries
                        + " entries of 8 + 8 bytes; each map and kind of keys in a JVM of its own, after a warm-up",
                "- " + rounds.size()
                        + " rounds, interleaved in changing order; medians; spread: the largest of the maps'"
                        + " largest over smallest rate",
                "- KVStore sets with TableMap.set, the others with Map.put; remove returns the old value",
                ""));
        failures.forEach(failure -> lines.add("- DID NOT RUN: " + failure));
        if (!failures.isEmpty()) {
            lines.add("");
        }
        lines.addAll(List.of("k ops/s; then the better of KVStore's two rates over each other map's:", ""));
        head(lines, "Keys | Work", "spread");
        for (KeyKind keys : KeyKind.values()) {
            Arrays.stream(MapWork.values())
                    .filter(MapWork::isReported)
                    .forEach(work -> rates(keys, work).ifPresent(lines::add));
        }
        lines.addAll(List.of(
                "",
                "Bytes per entry, in a JVM of its own: the growth of the resident set, both times after collections and at"
                        + " rest, and the figure of the library itself; then each other map's over the lesser of KVStore's:",
                ""));
        head(lines, "Keys | Bytes");
        for (KeyKind keys : KeyKind.values()) {
            for (String figure : List.of("residentBytes", "ownBytes")) {
                memory(keys, figure).ifPresent(lines::add);
            }
        }
        return lines;
    }

    private static void head(List<String> lines, String... columns) {
        List<String> all = new ArrayList<>(List.of(columns[0]));
        Arrays.stream(MapKind.values()).map(MapKind::name).forEach(all::add);
        all.addAll(Arrays.asList(columns).subList(1, columns.length));
        OTHERS.forEach(kind -> all.add("x " + kind));
        String head = "| " + String.join(" | ", all) + " |";
        lines.add(head);
        lines.add("|---".repeat((int) head.chars().filter(c -> c == '|').count() - 1) + "|");
    }

    /** The figures of all rounds that have them. */
    private List<Figures> of(KeyKind keys, MapKind kind, Part part) {
        return rounds.stream()
                .map(round -> round.only(name(new MapRun(kind, keys, 0), part)))
                .filter(figures -> !figures.isEmpty())
                .toList();
    }

    /** The median of a figure of each map; NaN where it was not measured. */
    private Map<MapKind, Double> medians(KeyKind keys, Part part, String figure) {
        Map<MapKind, Double> medians = new EnumMap<>(MapKind.class);
        for (MapKind kind : MapKind.values()) {
            List<Figures> all = of(keys, kind, part);
            medians.put(kind, all.isEmpty() ? Double.NaN : Figures.median(all).get(figure));
        }
        return medians;
    }

    private Optional<String> rates(KeyKind keys, MapWork work) {
        String figure = work + "." + RATE;
        Map<MapKind, Double> medians = medians(keys, Part.RATES, figure);
        double spread = Arrays.stream(MapKind.values())
                .map(kind -> of(keys, kind, Part.RATES))
                .filter(all -> !all.isEmpty())
                .mapToDouble(all -> Figures.spread(all, figure))
                .max()
                .orElse(Double.NaN);
        double ours = ours(medians).max().orElse(Double.NaN);
        List<String> cells = new ArrayList<>(List.of(keys.name(), work.title()));
        medians.values().forEach(rate -> cells.add(cell("%.0f", rate / 1e3)));
        cells.add(cell("%.2f", spread));
        OTHERS.forEach(kind -> cells.add(cell("%.2f", ours / medians.getOrDefault(kind, Double.NaN))));
        return row(medians, cells);
    }

    private Optional<String> memory(KeyKind keys, String figure) {
        Map<MapKind, Double> medians = medians(keys, Part.MEMORY, figure);
        // a library that says nothing says 0
        medians.replaceAll((kind, bytes) -> bytes == 0 ? Double.NaN : bytes);
        double ours = ours(medians).min().orElse(Double.NaN);
        List<String> cells = new ArrayList<>(List.of(keys.name(), figure));
        medians.values().forEach(bytes -> cells.add(cell("%.1f", bytes)));
        OTHERS.forEach(kind -> cells.add(cell("%.2f", medians.getOrDefault(kind, Double.NaN) / ours)));
        return row(medians, cells);
    }

    private static DoubleStream ours(Map<MapKind, Double> medians) {
        return Arrays.stream(MapKind.values())
                .filter(MapKind::isOurs)
                .mapToDouble(kind -> medians.getOrDefault(kind, Double.NaN))
                .filter(value -> !Double.isNaN(value));
    }

    private static Optional<String> row(Map<MapKind, Double> medians, List<String> cells) {
        return medians.values().stream().allMatch(value -> Double.isNaN(value))
                ? Optional.empty()
                : Optional.of("| " + String.join(" | ", cells) + " |");
    }

    private static String cell(String format, double value) {
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, format, value);
    }
}
