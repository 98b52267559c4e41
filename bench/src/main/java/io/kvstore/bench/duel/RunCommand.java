package io.kvstore.bench.duel;

import io.kvstore.bench.measure.ChildJvm;
import io.kvstore.bench.measure.Document;
import io.kvstore.bench.measure.FigureFile;
import io.kvstore.bench.measure.FigureSource;
import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.measure.Machine;
import io.kvstore.bench.measure.Place;
import io.kvstore.bench.offroad.OffRoad;
import io.kvstore.bench.store.Case;
import io.kvstore.bench.store.ContenderKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The duel: the engines of this store beside RocksDB, LMDB and H2 MVStore. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description =
                "Puts, gets, scans and mixtures of them, beside RocksDB, LMDB, H2 MVStore, and a loop without a store.")
public final class RunCommand implements Callable<Integer> {

    /** Keeps the collection after a case from shrinking the heap of the next one. */
    private static final String KEEP_HEAP = "-XX:MaxHeapFreeRatio=100";

    @Mixin
    private RunSettings settings = new RunSettings();

    @Option(
            names = "--rounds",
            defaultValue = "3",
            description = "How often each subject is measured. Default: ${DEFAULT-VALUE}")
    private int rounds;

    @Option(
            names = "--subjects",
            split = ",",
            description = "Parts of the subjects' names, such as KVSTORE,LMDB. Default: all")
    private List<String> subjects = List.of("");

    @Option(
            names = "--off-road",
            description =
                    "Measure other ways of using a table instead: first reads after a load, large values, a queue, scans"
                            + " beside a writer, YCSB. Each row runs in a JVM of its own. --cases names rows.")
    private boolean offRoad;

    @Option(
            names = "--part",
            defaultValue = "1",
            description = "Off the road, divide entries and operations by it. Default: ${DEFAULT-VALUE}")
    private int part;

    @Mixin
    private Place place = new Place();

    @Mixin
    private Document document = new Document();

    @Mixin
    private FigureSource source = new FigureSource();

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        // The load of the machine is read before the run.
        List<String> machine = Machine.lines();
        if (offRoad) {
            OffRoad set = new OffRoad(
                    place.directory(),
                    rounds,
                    settings.names(),
                    subjects,
                    part,
                    settings.budgetMib(),
                    settings.quietMillis());
            document.print("Off the road", machine, set.report(source.lines(set::measure)));
            return 0;
        }
        RunReport report = new RunReport(RunResults.parse(source.lines(this::measure)));
        List<String> body = new ArrayList<>(report.notes());
        body.add("");
        body.addAll(report.lines());
        document.print("Duel", machine, body);
        return 0;
    }

    private void check() {
        List<String> known =
                offRoad ? OffRoad.names() : Case.ALL.stream().map(Case::name).toList();
        settings.names().stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw document.refused("no case " + name + "; there are " + String.join(", ", known));
                });
        document.requirePositive("--rounds", rounds);
        document.requirePositive("--part", part);
    }

    private List<String> measure() throws IOException, InterruptedException {
        FigureFile file = new FigureFile(place.directory(), "run");
        file.keep(RunResults.line(settings));
        List<ContenderKind> chosen = Arrays.stream(ContenderKind.values())
                .filter(kind -> subjects.stream().anyMatch(kind.name()::contains))
                .toList();
        for (int round = 1; round <= rounds; round++) {
            for (ContenderKind kind : chosen) {
                String title = "round " + round + ", " + kind;
                file.keep(RunResults.line(kind));
                try {
                    List<String> arguments = RoundCommand.arguments(kind, settings);
                    ChildJvm.run(place.directory(), kind.before(), flags(kind), arguments, line -> {
                        if (Figures.isFigure(line)) {
                            file.keep(line);
                            tell(title, line);
                        }
                    });
                } catch (IOException e) {
                    // The figures of the other contenders, and those that this one printed before, are worth having.
                    System.err.println(title + ": " + e.getMessage());
                }
            }
        }
        return file.lines();
    }

    private static List<String> flags(ContenderKind kind) {
        List<String> flags = new ArrayList<>(kind.jvmFlags());
        flags.add(KEEP_HEAP);
        return flags;
    }

    private static void tell(String title, String line) {
        Figures.parse(List.of(line)).values().forEach((name, value) -> {
            if (name.endsWith(".opsPerSecond")) {
                System.err.printf(Locale.ROOT, "%s, %s: %,.0f/s%n", title, name.substring(0, name.indexOf('.')), value);
            }
        });
    }
}
