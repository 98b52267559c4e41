package io.kvstore.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Does one measurement and prints its figures; the other commands start it in a JVM of its own. */
@Command(name = "measure", hidden = true)
final class MeasureCommand implements Callable<Integer> {

    private static final int WARM_UP_ENTRIES = 300_000;

    @Parameters(index = "0")
    private SubjectKind subject = SubjectKind.STAGED;

    @Parameters(index = "1")
    private Load load = Load.SYNC;

    @Parameters(index = "2")
    private int threads;

    @Parameters(index = "3")
    private long millis;

    @Parameters(index = "4")
    private Path directory = Path.of("");

    /** The arguments that {@link #call} reads, but for the directory, which comes last. */
    static List<String> arguments(Measurement measurement) {
        return List.of(
                "measure",
                measurement.subject().name(),
                measurement.load().name(),
                String.valueOf(measurement.threads()),
                String.valueOf(measurement.millis()));
    }

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(directory);
        new Measurement(subject, load, threads, millis)
                .run(directory, WARM_UP_ENTRIES)
                .lines()
                .forEach(System.out::println);
        return 0;
    }
}
