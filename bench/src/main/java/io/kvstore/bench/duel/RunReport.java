package io.kvstore.bench.duel;

import io.kvstore.bench.duel.RunResults.Rate;
import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.store.Case;
import io.kvstore.bench.store.ContenderKind;
import io.kvstore.bench.store.ContenderKind.Family;
import io.kvstore.bench.store.LmdbContender;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The report of the duel: a table, and below it the ratios. */
record RunReport(RunResults results) {

    /** Memory that a JVM and its threads may take beside heap and budget, in MiB. */
    private static final long ROOM_MIB = 128;

    /** The goal for puts of 200 threads, as a part of the rate of two threads. */
    private static final double KEPT_RATE = 0.85;

    private static final String HEAD =
            "| Case | Subject | k ops/s | until at rest | spread | mean us | p50 | p99 | p99.9 | p99.99"
                    + " | max ms | CPU us/op | written/put | disk MiB | disk/live | peak RSS MiB | anonymous | beside heap"
                    + " | heap after gc | |";

    /** The facts that a reader needs to judge the figures. */
    List<String> notes() {
        List<String> lines = new ArrayList<>(results.settings().lines());
        lines.addAll(List.of(
                "- " + results.count() + " rounds, interleaved; medians; spread: largest over smallest rate",
                "- each subject runs all cases in one JVM with -Xmx1g, after a warm-up in two stores that are thrown away;"
                        + " gets and scans follow a pass of both, as long as the measured ones, and whatever that makes a store"
                        + " do in the background",
                "- hot: four of five gets go to the same fifth of the entries; absent: keys between those that are there",
                "- every subject returns values (and keys of scans) as arrays of the caller's own",
                "- KVStore: the budget is all memory that the store takes beside the heap",
                "- RocksDB: half of the budget in two memtables, half in the block cache, Bloom filters of 10 bits, no"
                        + " compression",
                "- LMDB: without a log (WRITEMAP, MAPASYNC, NOSYNC) each session gathers " + LmdbContender.BATCH
                        + " puts into a transaction, because one of its own for each would take most of the time; with a"
                        + " log each put is a transaction",
                "- LIMIT is no store: a checksum, a copy into what is written behind, and a place found by a hash of the key,"
                        + " without order, deletes or recovery",
                "- DEVICE is no store: a write and an fdatasync for each entry, by one thread",
                "- CPU and bytes written of puts go on until what was put has been flushed and the process has been at rest"
                        + " (no writes, no sync, hardly any CPU) for "
                        + results.settings().quietMillis() + " ms",
                "- beside heap: the most anonymous memory beyond the part of the heap that was ever in use; a row of ours"
                        + " with more than the budget and " + ROOM_MIB + " MiB is over memory and does not count"));
        return lines;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(HEAD);
        lines.add("|---"
                + "|---".repeat((int) HEAD.chars().filter(c -> c == '|').count() - 2) + "|");
        for (Case one : results.settings().cases()) {
            for (ContenderKind kind : ContenderKind.values()) {
                List<Figures> all = results.of(kind, one);
                if (!all.isEmpty()) {
                    lines.add(row(kind, one, all));
                }
            }
        }
        lines.add("");
        for (Case one : results.settings().cases()) {
            for (ContenderKind kind : ContenderKind.values()) {
                if (kind.isOurs() && results.rate(kind, one, Rate.RETURNED) > 0) {
                    lines.add(ratios(kind, one, Rate.RETURNED));
                    if (one.name().equals("put-1")) {
                        lines.add(ratios(kind, one, Rate.SETTLED));
                    }
                }
            }
        }
        return lines;
    }

    private String row(ContenderKind kind, Case one, List<Figures> all) {
        Figures median = Figures.median(all);
        double putMib = median.get("putMiB");
        return String.format(
                Locale.ROOT,
                "| %s | %s | %.1f | %s | %.2f | %.2f | %.2f | %.1f | %.0f | %.0f | %.1f | %.2f | %s | %.0f | %.2f | %.0f | %.0f"
                        + " | %.0f | %.0f | %s |",
                one.name(),
                kind,
                median.get(Rate.RETURNED.figure()) / 1e3,
                putMib > 0 ? String.format(Locale.ROOT, "%.1f", median.get(Rate.SETTLED.figure()) / 1e3) : "-",
                Figures.spread(all, "opsPerSecond"),
                median.get("meanMicros"),
                median.get("p50Micros"),
                median.get("p99Micros"),
                median.get("p99.9Micros"),
                median.get("p99.99Micros"),
                median.get("maxMicros") / 1e3,
                median.get("cpuMicrosPerOp"),
                putMib > 0 ? String.format(Locale.ROOT, "%.2f", median.get("writtenMiB") / putMib) : "-",
                median.get("diskMiB"),
                median.get("diskMiB") / median.get("liveMiB"),
                median.get("peakMiB"),
                median.get("anonymousMiB"),
                median.get("besideHeapMiB"),
                median.get("heapMiB"),
                isOverMemory(kind, all) ? "over memory" : "");
    }

    private boolean isOverMemory(ContenderKind kind, List<Figures> all) {
        return kind.isOurs()
                && all.stream()
                        .anyMatch(one ->
                                one.get("besideHeapMiB") > results.settings().budgetMib() + ROOM_MIB);
    }

    private String ratios(ContenderKind kind, Case one, Rate rate) {
        List<String> parts = new ArrayList<>();
        for (Family family :
                List.of(Family.ROCKSDB, Family.LMDB, Family.MVSTORE, Family.CHRONICLE, Family.LIMIT, Family.DEVICE)) {
            results.best(one, rate, family::equals)
                    .ifPresent(best ->
                            parts.add(String.format(Locale.ROOT, "%.2f x %s", ratio(kind, best, one, rate), best)));
        }
        Goal.of(kind, results.settings().shape(), one, rate).forEach(goal -> parts.add(goal(kind, one, rate, goal)));
        if (kind == ContenderKind.KVSTORE_BPLUS) {
            keptRate(one).ifPresent(parts::add);
        }
        if (isOverMemory(kind, results.of(kind, one))) {
            parts.add("over memory: does not count");
        }
        return "- " + one.name() + (rate == Rate.SETTLED ? " until at rest" : "") + ", " + kind + ": "
                + (parts.isEmpty() ? "nobody else" : String.join("; ", parts));
    }

    private String goal(ContenderKind kind, Case one, Rate rate, Goal goal) {
        return String.format(
                Locale.ROOT,
                "goal %.1f x, floor %.1f x %s: %s",
                goal.ratio(),
                goal.floor(),
                String.join(
                        " and ",
                        goal.others().stream().map(Family::name).sorted().toList()),
                results.best(one, rate, goal.others()::contains)
                        .map(best -> goal.verdict(ratio(kind, best, one, rate)))
                        .orElse("not measured"));
    }

    /** The rate of 200 threads as a part of the rate of two. */
    private Optional<String> keptRate(Case one) {
        if (!one.name().equals("put-200")) {
            return Optional.empty();
        }
        return Case.ALL.stream()
                .filter(Case::isOursOnly)
                .mapToDouble(two -> results.rate(ContenderKind.KVSTORE_BPLUS, two, Rate.RETURNED))
                .filter(two -> two > 0)
                .mapToObj(two -> String.format(
                        Locale.ROOT,
                        "%.2f of the rate of two threads, goal %.2f",
                        results.rate(ContenderKind.KVSTORE_BPLUS, one, Rate.RETURNED) / two,
                        KEPT_RATE))
                .findFirst();
    }

    private double ratio(ContenderKind kind, ContenderKind other, Case one, Rate rate) {
        return results.rate(kind, one, rate) / results.rate(other, one, rate);
    }
}
