package io.kvstore.bench.net;

import io.kvstore.bench.edge.EdgeLoad;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Gathers rounds and reports medians. Each is also shown as a ratio to the first server of its row. */
final class NetReport {

    private final Map<String, Map<String, List<Sample>>> byCase = new LinkedHashMap<>();

    private record Sample(double perSecond, double p50Micros, double p99Micros, double p999Micros, double cpuMicros) {}

    void add(String row, String server, EdgeLoad.Result result, int keys, double cpuMicros) {
        samples(row, server)
                .add(new Sample(
                        result.perSecond() * keys,
                        result.nanos().getValueAtPercentile(50) / 1e3,
                        result.nanos().getValueAtPercentile(99) / 1e3,
                        result.nanos().getValueAtPercentile(99.9) / 1e3,
                        cpuMicros));
    }

    /** Adds a rate without latencies, in megabytes a second. */
    void addRate(String row, String server, double megabytesPerSecond) {
        samples(row, server).add(new Sample(megabytesPerSecond * 1e6, 0, 0, 0, 0));
    }

    private List<Sample> samples(String row, String server) {
        return byCase.computeIfAbsent(row, name -> new LinkedHashMap<>())
                .computeIfAbsent(server, name -> new ArrayList<>());
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(
                "",
                "Entries a second, medians; the spread is that of the rounds. Scans: bytes a second. The client is"
                        + " one thread on the same cores.",
                "",
                "| case | server | k/s | spread | first / this | p50 us | p99 us | p99.9 us | server CPU us a call |",
                "|---|---|---|---|---|---|---|---|---|"));
        byCase.forEach((row, servers) -> {
            double first = median(servers.values().iterator().next()).perSecond();
            servers.forEach((server, samples) -> lines.add(line(row, server, samples, first)));
        });
        return lines;
    }

    private static String line(String row, String server, List<Sample> samples, double first) {
        Sample median = median(samples);
        double least = samples.stream().mapToDouble(Sample::perSecond).min().orElse(0);
        double most = samples.stream().mapToDouble(Sample::perSecond).max().orElse(0);
        return String.format(
                Locale.ROOT,
                "| %s | %s | %.1f | %.1f-%.1f | %.2f | %.0f | %.0f | %.0f | %.1f |",
                row,
                server,
                median.perSecond() / 1e3,
                least / 1e3,
                most / 1e3,
                first / median.perSecond(),
                median.p50Micros(),
                median.p99Micros(),
                median.p999Micros(),
                median.cpuMicros());
    }

    private static Sample median(List<Sample> samples) {
        List<Sample> sorted = samples.stream()
                .sorted((a, b) -> Double.compare(a.perSecond(), b.perSecond()))
                .toList();
        return sorted.get(sorted.size() / 2);
    }
}
