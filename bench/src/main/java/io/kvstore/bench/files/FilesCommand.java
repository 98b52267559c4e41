package io.kvstore.bench.files;

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

/** Files that are built once and then read, beside Sparkey and PalDB. */
@Command(
        name = "files",
        mixinStandardHelpOptions = true,
        description =
                "Sealed files beside those of Sparkey and PalDB, and beside stores with the same entries: building, look-ups,"
                        + " scans, bytes.")
public final class FilesCommand implements Callable<Integer> {

    private static final int MOST_ENTRIES = 100_000_000;

    @Option(
            names = "--entries",
            split = ",",
            defaultValue = "1000,10000,100000,1000000,10000000",
            description = "Entries of each file. Default: ${DEFAULT-VALUE}")
    private List<Integer> entries = List.of();

    @Option(
            names = "--rounds",
            defaultValue = "3",
            description = "How often each format is measured. Default: ${DEFAULT-VALUE}")
    private int rounds;

    @Option(
            names = "--lookups",
            defaultValue = "2000000",
            description = "How often each thread looks a key up. Default: ${DEFAULT-VALUE}")
    private int lookups;

    @Option(
            names = "--subjects",
            split = ",",
            description = "Parts of the formats' names, or names of their groups: TEXTS, PACKED, LONGS, WIDE."
                    + " Default: all")
    private List<String> subjects = List.of("");

    @Option(
            names = "--heap-mib",
            defaultValue = "2048",
            description = "The heap of each format's JVM. Default: ${DEFAULT-VALUE}")
    private long heapMib;

    @Mixin
    private FigureSource source = new FigureSource();

    @Mixin
    private Place place = new Place();

    @Mixin
    private Document document = new Document();

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        List<String> machine = Machine.lines("heap " + heapMib + " MiB"); // the load is read before the run
        List<String> lines = source.lines(this::measure);
        FilesReport report = new FilesReport(FigureFile.rounds(lines, FilesReport.ROUND));
        document.print("Files", machine, report.lines());
        return 0;
    }

    private void check() {
        document.requirePositive("--rounds", rounds);
        document.requirePositive("--lookups", lookups);
        for (int number : entries) {
            if (number < 1 || number > MOST_ENTRIES) {
                throw document.refused("--entries is " + number + "; give 1 to " + MOST_ENTRIES);
            }
        }
        if (chosen().isEmpty()) {
            throw document.refused("no format for " + subjects + "; there are " + Arrays.toString(FileKind.values()));
        }
    }

    private List<FileKind> chosen() {
        return Arrays.stream(FileKind.values())
                .filter(kind -> subjects.stream()
                        .anyMatch(part -> kind.name().contains(part)
                                || kind.group().name().equals(part)))
                .toList();
    }

    private List<String> measure() throws IOException, InterruptedException {
        FigureFile file = new FigureFile(place.directory(), "files");
        for (int round = 1; round <= rounds; round++) {
            file.keep(FilesReport.ROUND + round);
            List<FileKind> order = new ArrayList<>(chosen());
            Collections.rotate(order, round); // no format always runs behind the same other one
            for (int number : entries) {
                for (FileKind kind : order) {
                    measure(file, kind, number);
                }
            }
        }
        return file.lines();
    }

    private void measure(FigureFile file, FileKind kind, int number) throws IOException, InterruptedException {
        List<String> printed = new ArrayList<>();
        List<String> flags = new ArrayList<>(List.of("-Xmx" + heapMib + "m", "-Xms" + heapMib + "m"));
        flags.addAll(kind.file().jvmFlags());
        ChildJvm.run(
                place.directory(),
                flags,
                List.of("file", kind.name(), Integer.toString(number), Integer.toString(lookups)),
                printed::add);
        Figures figures = Figures.parse(printed).under(FilesReport.name(kind, number));
        figures.lines().forEach(file::keep);
        figures.values().forEach((name, value) -> System.err.printf(Locale.ROOT, "%s: %,.1f%n", name, value));
    }
}
