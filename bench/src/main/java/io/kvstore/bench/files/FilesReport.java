package io.kvstore.bench.files;

import io.kvstore.bench.measure.Figures;
import java.util.ArrayList;
import java.util.Arrays;
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

    private static final List<String> WORK = List.of("BUILD", "BUILD_SORTED", "GET_1", "GET_4", "ABSENT_1");
    private static final String RATE = ".opsPerSecond";
    private static final String BYTES = "bytesPerEntry";

    /** The name of the figures of a format. */
    static String name(FileKind kind, int entries) {
        return entries + "." + kind;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(
                "- keys key_N, values value_N; each format and number of entries in a JVM of its own, after a warm-up",
                "- " + rounds.size() + " rounds, interleaved in changing order; medians",
                "- built in the order of the numbers, which is not that of the keys; BUILD_SORTED in the order of the keys,"
                        + " and its ratios are to the other formats' BUILD",
                "- GET_4 by four threads, for which PalDB has one reader with a lock; ABSENT_1 of keys that are not there",
                "",
                "k ops/s and bytes an entry; then KVStore's rate over each other one's, or its bytes over theirs:",
                ""));
        StringBuilder head = new StringBuilder("| Entries | Work |");
        for (FileKind kind : FileKind.values()) {
            head.append(' ').append(kind).append(" |");
        }
        for (FileKind kind : others()) {
            head.append(" x ").append(kind).append(" |");
        }
        lines.add(head.toString());
        lines.add("|---".repeat(2 + FileKind.values().length + others().size()) + "|");
        for (int entries : numbers()) {
            for (String work : WORK) {
                row(lines, entries, work, values(entries, work + RATE), 1e3);
            }
            row(lines, entries, "bytes", values(entries, BYTES), 1);
        }
        return lines;
    }

    private static List<FileKind> others() {
        return Arrays.stream(FileKind.values()).filter(kind -> !kind.isOurs()).toList();
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

    private void row(List<String> lines, int entries, String work, Map<FileKind, Double> values, double unit) {
        double ours = values.getOrDefault(FileKind.KVSTORE, Double.NaN);
        StringBuilder row = new StringBuilder("| " + entries + " | " + work + " |");
        values.values().forEach(value -> row.append(cell("%.1f", value / unit)));
        Map<FileKind, Double> peers = work.equals("BUILD_SORTED") ? values(entries, "BUILD" + RATE) : values;
        others().forEach(kind -> row.append(cell("%.2f", ours / peers.getOrDefault(kind, Double.NaN))));
        if (values.values().stream().anyMatch(value -> !value.isNaN())) {
            lines.add(row.toString());
        }
    }

    private static String cell(String format, double value) {
        return (Double.isNaN(value) ? " " : " " + String.format(Locale.ROOT, format, value)) + " |";
    }
}
