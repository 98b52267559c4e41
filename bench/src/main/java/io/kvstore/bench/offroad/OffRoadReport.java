package io.kvstore.bench.offroad;

import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.store.Case.Work;
import io.kvstore.bench.store.ContenderKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The report of the off-road set: the settings, a table, and the ratios.
 *
 * @param rows the rows, as they were measured
 * @param rounds the figures of each round, under the names of a row and a store
 */
record OffRoadReport(List<Row> rows, List<Figures> rounds) {

    private static final String HEAD =
            "| Row | Subject | k ops/s | spread | mean us | p50 | p99 | p99.9 | max ms | own code | system | disk | waits"
                    + " | compiler | other threads | faults/op | read MiB |";

    private static final double MIB = 1 << 20;

    /** The bound of docs/bounds.md beside twice the live data, in MiB. */
    private static final int ROOM_MIB = 128;

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        rows.forEach(row -> lines.add(row.title()));
        lines.add(
                "- each row of each store runs in a JVM of its own, at once after the load: no warm-up, no pass of reading,"
                        + " no rest, unless its name begins with settled");
        lines.add("- what is measured ends after " + RowRun.MOST_MILLIS / 1_000 + " s, if not before");
        lines.add("- " + rounds.size() + " rounds, interleaved; medians; spread: largest over smallest rate");
        lines.add(
                "- own code, system, disk, waits: parts of the time of the threads that ask; waits: for locks, other threads"
                        + " and processors; compiler: its time over the row's; other threads: processors that they kept busy;"
                        + " read MiB: from the disk");
        lines.add("");
        lines.add(HEAD);
        lines.add("|---".repeat((int) HEAD.chars().filter(c -> c == '|').count() - 1) + "|");
        for (Row row : rows) {
            for (ContenderKind kind : ContenderKind.values()) {
                List<Figures> all = of(row, kind);
                if (!all.isEmpty() && row.course() != Row.Course.SPACE) {
                    lines.add(line(row, kind, all));
                }
            }
        }
        lines.add("");
        for (Row row : rows) {
            row.targets().forEach(target -> ratio(row, target).ifPresent(lines::add));
            for (ContenderKind kind : ContenderKind.values()) {
                if (row.course() == Row.Course.BESIDE_WRITER) {
                    figure(row, kind, "writesPerSecond", "the writer, k puts/s", 1e-3)
                            .ifPresent(lines::add);
                }
                if (row.course() == Row.Course.SPACE) {
                    space(row, kind).ifPresent(lines::add);
                }
            }
        }
        lines.addAll(growth());
        return lines;
    }

    private List<Figures> of(Row row, ContenderKind kind) {
        return rounds.stream()
                .map(round -> round.only(row.name() + "." + kind))
                .filter(figures -> !figures.isEmpty())
                .toList();
    }

    private double median(Row row, ContenderKind kind, String name) {
        List<Figures> all = of(row, kind);
        return all.isEmpty() ? 0 : Figures.median(all).get(name);
    }

    private static String line(Row row, ContenderKind kind, List<Figures> all) {
        Figures median = Figures.median(all);
        return String.format(
                Locale.ROOT,
                "| %s | %s | %.1f | %.2f | %.2f | %.2f | %.1f | %.0f | %.1f" + " | %.2f".repeat(7) + " | %.0f |",
                row.name(),
                kind,
                median.get("opsPerSecond") / 1e3,
                Figures.spread(all, "opsPerSecond"),
                median.get("meanMicros"),
                median.get("p50Micros"),
                median.get("p99Micros"),
                median.get("p99.9Micros"),
                median.get("maxMicros") / 1e3,
                median.get("userShare"),
                median.get("systemShare"),
                median.get("diskShare"),
                median.get("waitShare"),
                median.get("compileShare"),
                median.get("otherProcessors"),
                (median.get("minorFaults") + median.get("majorFaults")) / median.get("ops"),
                median.get("readMiB"));
    }

    private Optional<String> ratio(Row row, Target target) {
        Optional<ContenderKind> ours = best(row, target.ours()::contains);
        Optional<ContenderKind> other = best(row, kind -> !kind.isOurs());
        if (ours.isEmpty() || other.isEmpty()) {
            return Optional.empty();
        }
        double reached = median(row, ours.get(), "opsPerSecond") / median(row, other.get(), "opsPerSecond");
        return Optional.of(String.format(
                Locale.ROOT,
                "- %s: %s %.2f x %s; %s",
                row.name(),
                ours.get(),
                reached,
                other.get(),
                target.verdict(reached)));
    }

    private Optional<ContenderKind> best(Row row, Predicate<ContenderKind> which) {
        return Arrays.stream(ContenderKind.values())
                .filter(which)
                .filter(kind -> !of(row, kind).isEmpty())
                .max(Comparator.comparingDouble(kind -> median(row, kind, "opsPerSecond")));
    }

    private Optional<String> figure(Row row, ContenderKind kind, String name, String title, double unit) {
        double value = median(row, kind, name);
        return value == 0
                ? Optional.empty()
                : Optional.of(String.format(Locale.ROOT, "- %s, %s: %s %.1f", row.name(), kind, title, value * unit));
    }

    private Optional<String> space(Row row, ContenderKind kind) {
        double disk = median(row, kind, "diskMiB");
        if (disk == 0) {
            return Optional.empty();
        }
        double live = row.entries() * row.shape().entryBytes() / MIB / Work.KEPT_PART;
        return Optional.of(String.format(
                Locale.ROOT,
                "- %s, %s: %.0f MiB on the disk after rest, 2 x live + %d MiB are %.0f; closed in %.0f ms; removed in %.1f s",
                row.name(),
                kind,
                disk,
                ROOM_MIB,
                2 * live + ROOM_MIB,
                median(row, kind, "closeMillis"),
                median(row, kind, "seconds")));
    }

    /** What an operation costs in the largest store, as a multiple of the smallest one's. */
    private List<String> growth() {
        List<Row> settled = rows.stream()
                .filter(row -> row.course() == Row.Course.SETTLED)
                .sorted(Comparator.comparingLong(Row::entries))
                .toList();
        List<String> lines = new ArrayList<>();
        if (settled.size() > 1) {
            Row small = settled.getFirst();
            Row large = settled.getLast();
            for (ContenderKind kind : ContenderKind.values()) {
                if (!of(small, kind).isEmpty() && !of(large, kind).isEmpty()) {
                    lines.add(String.format(
                            Locale.ROOT,
                            "- %s against %s, %s: a put costs %.1f x, a get %.1f x, a scan %.1f x; goal 1.5, floor 2.2",
                            large.name(),
                            small.name(),
                            kind,
                            cost(small, large, kind, "put"),
                            cost(small, large, kind, "get"),
                            cost(small, large, kind, "scan")));
                }
            }
        }
        return lines;
    }

    private double cost(Row small, Row large, ContenderKind kind, String work) {
        String name = work + ".opsPerSecond";
        return median(small, kind, name) / median(large, kind, name);
    }
}
