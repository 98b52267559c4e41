package io.kvstore.bench.maps;

import io.kvstore.bench.measure.Figures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Measures one map in this JVM, and prints the figures. {@link MapsCommand} starts it in a JVM. */
@Command(name = "map", hidden = true)
public final class MapCommand implements Callable<Integer> {

    /** The figures of a JVM. */
    enum Part {
        /** The rates of all kinds of operations. */
        RATES,
        /** The memory that entries take. */
        MEMORY
    }

    @Parameters(index = "0")
    private MapKind kind = MapKind.SKIP_LIST;

    @Parameters(index = "1")
    private KeyKind keys = KeyKind.RANDOM;

    @Parameters(index = "2")
    private long entries;

    @Parameters(index = "3")
    private Part part = Part.RATES;

    @Parameters(index = "4")
    private long quietMillis;

    @Parameters(index = "5")
    private Path directory = Path.of("");

    /** The arguments that {@link #call} reads, except for the directory, which comes last. */
    static List<String> arguments(MapRun run, Part part, long quietMillis) {
        return List.of(
                "map",
                run.kind().name(),
                run.keys().name(),
                Long.toString(run.entries()),
                part.name(),
                Long.toString(quietMillis));
    }

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(directory);
        MapRun run = new MapRun(kind, keys, entries);
        switch (part) {
            case RATES -> run.run(MapCommand::print);
            case MEMORY -> print(run.memory(quietMillis));
        }
        return 0;
    }

    private static void print(Figures figures) {
        figures.lines().forEach(System.out::println);
        System.out.flush();
    }
}
