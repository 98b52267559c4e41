package io.kvstore.bench.files;

import io.kvstore.bench.measure.Figures;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The report: rates, ratios and bytes.
 *
 * @param rounds the figures of each round, under the names of a number of entries and a format
 */
record FilesReport(List<Figures> rounds) {

    /** In front of the figures of each round. */
    static final String ROUND = "round ";

    private static final List<String> WORK = List.of(
            "BUILD", "BUILD_SORTED", "GET_1", "GET_4", "ABSENT_1", "SCAN_100", "GET_IN_STORE", "GET_BESIDE_SWAPS");
    private static final String RATE = ".opsPerSecond";
    private static final String BYTES = "bytesPerEntry";

    /** The name of the figures of a format. */
    static String name(FileKind kind, int entries) {
        return entries + "." + kind;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(
                "- each format and number of entries in a JVM of its own, after a warm-up",
                "- " + rounds.size() + " rounds, interleaved in changing order; medians",
                "- built in the order of the numbers, which is not that of the keys; BUILD_SORTED in the order of the keys,"
                        + " and its ratios are to the other formats' BUILD",
                "- GET_4 by four threads, for which PalDB has one reader with a lock; ABSENT_1 of keys that are not there;"
                        + " SCAN_100 of 100 entries from random keys",
                "- GET_IN_STORE by one thread in a SEALED table of a store, GET_BESIDE_SWAPS while the table gets a file ten"
                        + " times a second",
                "- k ops/s and bytes an entry; then our rate over each other one's, or our bytes over theirs"));
        for (FileGroup group : FileGroup.values()) {
            List<String> rows = new ArrayList<>();
            for (int entries : numbers()) {
                for (String work : WORK) {
                    row(rows, group, entries, new Work(work, work + RATE, 1e3));
                }
                row(rows, group, entries, new Work("bytes", BYTES, 1));
            }
            if (!rows.isEmpty()) {
                lines.addAll(List.of("", "## " + group.text(), "", head(group)));
                lines.add("|---".repeat(head(group).split("\\|").length - 1) + "|");
                lines.addAll(rows);
            }
        }
        return lines;
    }

    /**
     * One row for each number of entries.
     *
     * @param name in the report
     * @param figure the end of the figure's name
     * @param unit by which the figure is divided
     */
    private record Work(String name, String figure, double unit) {}

    private static String head(FileGroup group) {
        StringBuilder head = new StringBuilder("| Entries | Work |");
        kinds(group).forEach(kind -> head.append(' ').append(kind).append(" |"));
        for (FileKind ours : FileKind.of(group, true)) {
            FileKind.of(group, false)
                    .forEach(other -> head.append(' ')
                            .append(ours)
                            .append(" x ")
                            .append(other)
                            .append(" |"));
        }
        return head.toString();
    }

    private static List<FileKind> kinds(FileGroup group) {
        List<FileKind> kinds = new ArrayList<>(FileKind.of(group, true));
        kinds.addAll(FileKind.of(group, false));
        return kinds;
    }

    private SortedSet<Integer> numbers() {
        SortedSet<Integer> numbers = new TreeSet<>();
        rounds.forEach(round -> round.values()
                .keySet()
                .forEach(name -> numbers.add(Integer.valueOf(name.substring(0, name.indexOf('.'))))));
        return numbers;
    }

    /** The medians of a figure; NaN where it was not measured. */
    private Map<FileKind, Double> values(int entries, String figure) {
        Map<FileKind, Double> medians = new EnumMap<>(FileKind.class);
        for (FileKind kind : FileKind.values()) {
            String name = name(kind, entries) + "." + figure;
            double[] all = rounds.stream()
                    .filter(round -> round.values().containsKey(name))
                    .mapToDouble(round -> round.get(name))
                    .sorted()
                    .toArray();
            medians.put(kind, all.length == 0 ? Double.NaN : all[all.length / 2]);
        }
        return medians;
    }

    private void row(List<String> rows, FileGroup group, int entries, Work work) {
        Map<FileKind, Double> values = values(entries, work.figure());
        if (kinds(group).stream().allMatch(kind -> of(values, kind).isNaN())) {
            return;
        }
        StringBuilder row = new StringBuilder("| " + entries + " | " + work.name() + " |");
        kinds(group).forEach(kind -> row.append(cell("%.1f", of(values, kind) / work.unit())));
        Map<FileKind, Double> peers = work.name().equals("BUILD_SORTED") ? values(entries, "BUILD" + RATE) : values;
        for (FileKind ours : FileKind.of(group, true)) {
            FileKind.of(group, false).forEach(other -> row.append(cell("%.2f", of(values, ours) / of(peers, other))));
        }
        rows.add(row.toString());
    }

    private static Double of(Map<FileKind, Double> values, FileKind kind) {
        return values.getOrDefault(kind, Double.NaN);
    }

    private static String cell(String format, double value) {
        return (Double.isNaN(value) ? " " : " " + String.format(Locale.ROOT, format, value)) + " |";
    }
}
