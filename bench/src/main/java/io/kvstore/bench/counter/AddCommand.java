package io.kvstore.bench.counter;

import io.kvstore.bench.counter.CounterRun.Work;
import io.kvstore.bench.measure.ChildJvm;
import io.kvstore.bench.measure.Document;
import io.kvstore.bench.measure.FigureFile;
import io.kvstore.bench.measure.FigureSource;
import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.measure.Machine;
import io.kvstore.bench.measure.Place;
import io.kvstore.bench.net.ThriftCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Additions to one key beside puts of it, and additions over Thrift beside INCR of Redis. */
@Command(
        name = "add",
        mixinStandardHelpOptions = true,
        description =
                "Additions to one key beside puts of it, with and without a log; then over Thrift, beside INCR of Redis.")
public final class AddCommand implements Callable<Integer> {

    /** The table has other entries beside the counter, but their number says nothing here. */
    private static final int THRIFT_ENTRIES = 1_000;

    private static final int[] THREADS = {1, 200};

    /** In front of the figures of each round. */
    private static final String ROUND = "round ";

    @Option(
            names = "--engines",
            split = ",",
            defaultValue = "BPLUS,LSM",
            description = "Engines of the tables. Default: ${DEFAULT-VALUE}")
    private List<String> engines = List.of();

    @Option(names = "--rounds", defaultValue = "3", description = "Rounds. Default: ${DEFAULT-VALUE}")
    private int rounds;

    @Option(
            names = "--operations",
            defaultValue = "1000000",
            description = "Changes of a measurement, after as many unmeasured. Default: ${DEFAULT-VALUE}")
    private long operations;

    @Option(
            names = "--thrift",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Measure over Thrift too. Default: ${DEFAULT-VALUE}")
    private boolean thrift;

    @Option(names = "--launcher", defaultValue = "./kvstore", description = "The launcher. Default: ${DEFAULT-VALUE}")
    private Path launcher = Path.of("kvstore");

    @Mixin
    private FigureSource source = new FigureSource();

    @Mixin
    private Place place = new Place();

    @Mixin
    private Document document = new Document();

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        // The load of the machine is read before the run.
        List<String> machine = Machine.lines("heap 1 GiB");
        List<String> lines = source.lines(this::measure);
        List<String> report = report(lines);
        if (!thrift || source.isEarlier()) {
            document.print("Additions", machine, report);
            return 0;
        }
        report.add("");
        document.print("Additions", machine, report);
        return new CommandLine(new ThriftCommand())
                .execute(
                        "--cases=^" + ThriftCommand.ADD,
                        "--entries=" + THRIFT_ENTRIES,
                        "--rounds=" + rounds,
                        "--launcher=" + launcher,
                        "--directory=" + place.directory());
    }

    private void check() {
        document.requirePositive("--rounds", rounds);
        document.requirePositive("--operations", operations);
    }

    private List<CounterRun> runs(Work work) {
        List<CounterRun> runs = new ArrayList<>();
        for (String engine : engines) {
            for (boolean logged : new boolean[] {false, true}) {
                for (int threads : THREADS) {
                    runs.add(new CounterRun(engine, logged, work, threads, operations));
                }
            }
        }
        return runs;
    }

    private List<String> measure() throws IOException, InterruptedException {
        FigureFile file = new FigureFile(place.directory(), "add");
        for (int round = 1; round <= rounds; round++) {
            file.keep(ROUND + round);
            Work first = round % 2 == 0 ? Work.ADD : Work.PUT;
            for (CounterRun run : runs(first)) {
                Work second = first == Work.ADD ? Work.PUT : Work.ADD;
                measure(file, run);
                measure(file, new CounterRun(run.engine(), run.logged(), second, run.threads(), operations));
            }
        }
        return file.lines();
    }

    private void measure(FigureFile file, CounterRun run) throws IOException, InterruptedException {
        List<String> printed = new ArrayList<>();
        ChildJvm.run(place.directory(), List.of(), CounterCommand.arguments(run), printed::add);
        Figures figures = Figures.parse(printed);
        figures.under(run.name()).lines().forEach(file::keep);
        System.err.printf(Locale.ROOT, "%s: %,.0f/s%n", run.name(), figures.get("opsPerSecond"));
    }

    private List<String> report(List<String> lines) {
        List<Figures> all = FigureFile.rounds(lines, ROUND);
        List<String> report = new ArrayList<>(List.of(
                "- one key whose value is a number of 16 digits; each row of put and of add in a JVM of its own",
                "- " + all.size() + " rounds, interleaved; medians; spread: largest over smallest rate",
                "",
                "| Engine | log | threads | put k/s | spread | add k/s | spread | add / put | put p99 us | add p99 us |",
                "|---|---|---|---|---|---|---|---|---|---|"));
        for (CounterRun run : runs(Work.PUT)) {
            CounterRun adds = new CounterRun(run.engine(), run.logged(), Work.ADD, run.threads(), operations);
            List<Figures> put =
                    all.stream().map(round -> round.only(run.name())).toList();
            List<Figures> add =
                    all.stream().map(round -> round.only(adds.name())).toList();
            double puts = Figures.median(put).get("opsPerSecond");
            double sums = Figures.median(add).get("opsPerSecond");
            report.add(String.format(
                    Locale.ROOT,
                    "| %s | %s | %d | %.0f | %.2f | %.0f | %.2f | %.2f | %.1f | %.1f |",
                    run.engine(),
                    run.logged() ? "BUFFERED" : "off",
                    run.threads(),
                    puts / 1e3,
                    Figures.spread(put, "opsPerSecond"),
                    sums / 1e3,
                    Figures.spread(add, "opsPerSecond"),
                    sums / puts,
                    Figures.median(put).get("p99Micros"),
                    Figures.median(add).get("p99Micros")));
        }
        return report;
    }
}
