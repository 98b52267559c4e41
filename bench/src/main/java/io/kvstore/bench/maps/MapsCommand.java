package io.kvstore.bench.maps;

import io.kvstore.bench.maps.MapCommand.Part;
import io.kvstore.bench.measure.ChildJvm;
import io.kvstore.bench.measure.Document;
import io.kvstore.bench.measure.FigureFile;
import io.kvstore.bench.measure.FigureSource;
import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.measure.Machine;
import io.kvstore.bench.measure.Place;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Maps of numbers in memory: tables of this store through their Java map, beside whippet-db, MVStore, MapDB and Chronicle. */
@Command(
        name = "maps",
        mixinStandardHelpOptions = true,
        description =
                "Maps of Long to Long in memory, beside whippet-db, H2 MVStore, MapDB, Chronicle Map and a skip list.")
public final class MapsCommand implements Callable<Integer> {

    @Option(
            names = "--entries",
            defaultValue = "5000000",
            description = "Entries of each map. whippet-db takes 32 million at most. Default: ${DEFAULT-VALUE}")
    private long entries;

    @Option(
            names = "--rounds",
            defaultValue = "3",
            description = "How often each map is measured. Default: ${DEFAULT-VALUE}")
    private int rounds;

    @Option(
            names = "--keys",
            split = ",",
            defaultValue = "SEQUENTIAL,MODERATE,RANDOM",
            description = "Kinds of keys. Default: ${DEFAULT-VALUE}")
    private List<KeyKind> keys = List.of();

    @Option(
            names = "--subjects",
            split = ",",
            description = "Parts of the maps' names, such as KVSTORE,WHIPPET. Default: all")
    private List<String> subjects = List.of("");

    @Option(
            names = "--heap-mib",
            defaultValue = "2048",
            description = "The heap of each map's JVM. Default: ${DEFAULT-VALUE}")
    private long heapMib;

    @Option(
            names = "--quiet-millis",
            defaultValue = "1500",
            description = "Memory is read when the process was at rest for so long. Default: ${DEFAULT-VALUE}")
    private long quietMillis;

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
        List<String> machine = Machine.lines("heap " + heapMib + " MiB");
        List<String> lines = source.lines(this::measure);
        MapsReport report = MapsReport.parse(lines);
        document.print("Maps", machine, report.lines());
        return report.failures().isEmpty() ? 0 : 1;
    }

    private void check() {
        document.requirePositive("--entries", entries);
        document.requirePositive("--rounds", rounds);
        if (chosen().isEmpty()) {
            throw document.refused("no map for " + subjects + "; there are " + Arrays.toString(MapKind.values()));
        }
    }

    private List<MapKind> chosen() {
        return Arrays.stream(MapKind.values())
                .filter(kind -> subjects.stream().anyMatch(kind.name()::contains))
                .toList();
    }

    private List<String> measure() throws IOException, InterruptedException {
        FigureFile file = new FigureFile(place.directory(), "maps");
        file.keep(MapsReport.ENTRIES + entries);
        for (int round = 1; round <= rounds; round++) {
            file.keep(MapsReport.ROUND + round);
            // no map always runs behind the same other one
            List<MapKind> order = new ArrayList<>(chosen());
            Collections.rotate(order, 1 - round);
            if (round % 2 == 0) {
                Collections.reverse(order);
            }
            for (KeyKind kind : keys) {
                for (MapKind one : order) {
                    for (Part part : Part.values()) {
                        measure(file, round, new MapRun(one, kind, entries), part);
                    }
                }
            }
        }
        return file.lines();
    }

    private void measure(FigureFile file, int round, MapRun run, Part part) throws InterruptedException {
        String name = MapsReport.name(run, part);
        List<String> printed = new ArrayList<>();
        try {
            ChildJvm.run(
                    place.directory(),
                    run.kind().before(),
                    flags(run.kind(), part),
                    MapCommand.arguments(run, part, quietMillis),
                    printed::add);
        } catch (IOException e) {
            // The figures of the other maps are worth having. Those of this one are not.
            System.err.println(e.getMessage());
            file.keep(MapsReport.FAILED + name + ": " + reason(printed));
            return;
        }
        Figures figures = Figures.parse(printed).under(name);
        figures.lines().forEach(file::keep);
        figures.values()
                .forEach((figure, value) ->
                        System.err.printf(Locale.ROOT, "round %d, %s: %,.0f%n", round, figure, value));
    }

    /** The line that names the error. */
    private static String reason(List<String> printed) {
        return printed.stream()
                .filter(line -> line.contains("Exception") || line.contains("Error"))
                .findFirst()
                .orElse(printed.isEmpty() ? "it printed nothing" : printed.getLast());
    }

    private List<String> flags(MapKind kind, Part part) {
        List<String> flags = new ArrayList<>(kind.jvmFlags());
        flags.add("-Xmx" + heapMib + "m");
        // the machine bounds this memory, as it does for the maps that take it without the JVM
        flags.add("-XX:MaxDirectMemorySize=1t");
        if (part == Part.MEMORY) {
            flags.addAll(List.of("-Xms16m", "-XX:MinHeapFreeRatio=0", "-XX:MaxHeapFreeRatio=5"));
        } else {
            flags.add("-Xms" + heapMib + "m");
        }
        return flags;
    }
}
