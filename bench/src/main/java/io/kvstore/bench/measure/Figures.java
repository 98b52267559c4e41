package io.kvstore.bench.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** Named numbers of one measurement. The measuring JVM prints them as lines of text, which the reporting JVM reads. */
public record Figures(Map<String, Double> values) {

    private static final String MARK = "figure ";

    public static Figures of(Histogram latencies, double seconds) {
        return new Figures(Map.of())
                .with("opsPerSecond", latencies.getTotalCount() / seconds)
                .with("seconds", seconds)
                .with("meanMicros", latencies.getMean() / 1e3)
                .with("p50Micros", latencies.getValueAtPercentile(50) / 1e3)
                .with("p90Micros", latencies.getValueAtPercentile(90) / 1e3)
                .with("p99Micros", latencies.getValueAtPercentile(99) / 1e3)
                .with("p99.9Micros", latencies.getValueAtPercentile(99.9) / 1e3)
                .with("p99.99Micros", latencies.getValueAtPercentile(99.99) / 1e3)
                .with("maxMicros", latencies.getMaxValue() / 1e3)
                .with("ops", (double) latencies.getTotalCount());
    }

    public Figures with(String name, double value) {
        Map<String, Double> more = new TreeMap<>(values);
        more.put(name, value);
        return new Figures(more);
    }

    /** These figures and others. */
    public Figures and(Figures others) {
        Map<String, Double> more = new TreeMap<>(values);
        more.putAll(others.values);
        return new Figures(more);
    }

    /** These figures with a name in front of each figure's name. */
    public Figures under(String name) {
        Map<String, Double> renamed = new TreeMap<>();
        values.forEach((own, value) -> renamed.put(name + "." + own, value));
        return new Figures(renamed);
    }

    /** The figures that {@link #under} put under a name, without that name. */
    public Figures only(String name) {
        Map<String, Double> found = new TreeMap<>();
        values.forEach((full, value) -> {
            if (full.startsWith(name + ".")) {
                found.put(full.substring(name.length() + 1), value);
            }
        });
        return new Figures(found);
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    public double get(String name) {
        Double value = values.get(name);
        if (value == null) {
            throw new IllegalStateException("the measurement has no figure " + name + ", only " + values.keySet());
        }
        return value;
    }

    /** Whether a line that a measuring JVM printed is a figure. */
    public static boolean isFigure(String line) {
        return line.startsWith(MARK);
    }

    /** Finds the figures among the lines that a measuring JVM printed. */
    public static Figures parse(List<String> lines) {
        Map<String, Double> values = new TreeMap<>();
        for (String line : lines) {
            if (isFigure(line)) {
                int equals = line.indexOf('=');
                values.put(line.substring(MARK.length(), equals), Double.valueOf(line.substring(equals + 1)));
            }
        }
        return new Figures(values);
    }

    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        values.forEach((name, value) -> lines.add(MARK + name + "=" + value));
        return lines;
    }

    /** The median of each figure over several measurements. */
    public static Figures median(List<Figures> all) {
        Map<String, Double> medians = new TreeMap<>();
        for (String name : all.getFirst().values().keySet()) {
            double[] sorted = all.stream()
                    .mapToDouble(figures -> figures.get(name))
                    .sorted()
                    .toArray();
            medians.put(name, sorted[sorted.length / 2]);
        }
        return new Figures(medians);
    }

    /** The largest value of a figure divided by its smallest. */
    public static double spread(List<Figures> all, String name) {
        double[] values = all.stream().mapToDouble(figures -> figures.get(name)).toArray();
        return Arrays.stream(values).max().orElse(Double.NaN)
                / Arrays.stream(values).min().orElse(Double.NaN);
    }
}
