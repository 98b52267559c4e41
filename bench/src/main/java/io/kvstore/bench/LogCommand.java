package io.kvstore.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The log's rows: one put at a time, buffered and synced, from 1 to 200 threads. */
@Command(
        name = "log",
        mixinStandardHelpOptions = true,
        description = "Puts of 12-byte keys and 500-byte values through the log, buffered and synced, beside RocksDB.")
final class LogCommand implements Callable<Integer> {

    private static final Map<Load, List<Integer>> ROWS = new EnumMap<>(Map.of(
            Load.BURST, List.of(1),
            Load.BUFFERED, List.of(1, 4, 200),
            Load.SYNC, List.of(1, 16, 200)));

    @Option(
            names = "--rounds",
            defaultValue = "3",
            description = "How often each row is measured. Default: ${DEFAULT-VALUE}")
    private int rounds;

    @Option(
            names = "--seconds",
            defaultValue = "5",
            description = "How long each measurement takes after its warm-up. Default: ${DEFAULT-VALUE}")
    private int seconds;

    @Option(names = "--only", description = "A part of the subjects' names, such as STAGED. Default: all")
    private String only = "";

    @Mixin
    private Place place = new Place();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Map<Measurement, List<Figures>> results = new LinkedHashMap<>();
        measurements().forEach(measurement -> results.put(measurement, new ArrayList<>()));
        for (int round = 1; round <= rounds; round++) {
            for (Map.Entry<Measurement, List<Figures>> one : results.entrySet()) {
                List<String> lines = new ArrayList<>();
                ChildJvm.run(place.directory(), List.of(), MeasureCommand.arguments(one.getKey()), lines::add);
                Figures figures = Figures.parse(lines);
                one.getValue().add(figures);
                System.err.printf(
                        Locale.ROOT,
                        "round %d: %s, %s: %,.0f/s%n",
                        round,
                        LogReport.row(one.getKey()),
                        one.getKey().subject().title(),
                        figures.get("opsPerSecond"));
            }
        }
        PrintStream out = System.out;
        out.println("# Log, " + Machine.title());
        out.println();
        Machine.lines().forEach(out::println);
        out.printf(Locale.ROOT, "- %d rounds, interleaved, of %d s after a warm-up; medians%n", rounds, seconds);
        out.println();
        new LogReport(results).lines().forEach(out::println);
        return 0;
    }

    private List<Measurement> measurements() {
        List<Measurement> all = new ArrayList<>();
        ROWS.forEach((load, rows) -> rows.forEach(threads -> addRow(all, load, threads)));
        return all;
    }

    private void addRow(List<Measurement> all, Load load, int threads) {
        for (SubjectKind subject : SubjectKind.values()) {
            boolean isBound = subject == SubjectKind.DEVICE;
            if (subject.name().contains(only) && (!isBound || (load.isSynced() && threads == 1))) {
                all.add(new Measurement(subject, load, threads, seconds * 1_000L));
            }
        }
    }
}
