package io.kvstore.bench.offroad;

import io.kvstore.bench.store.ContenderKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs one row of one store and prints its figures. {@link OffRoad} starts it in a JVM. */
@Command(name = "row", hidden = true)
public final class RowCommand implements Callable<Integer> {

    @Option(names = "--part")
    private int part = 1;

    @Option(names = "--budget-mib")
    private long budgetMib;

    @Option(names = "--quiet-millis")
    private long quietMillis;

    @Parameters(index = "0")
    private String row = "";

    @Parameters(index = "1")
    private ContenderKind kind = ContenderKind.KVSTORE_BPLUS;

    @Parameters(index = "2")
    private Path directory = Path.of("");

    /** The arguments that {@link #call} reads, except for the directory, which comes last. */
    static List<String> arguments(String row, ContenderKind kind, int part, long budgetMib, long quietMillis) {
        return List.of(
                "row",
                "--part=" + part,
                "--budget-mib=" + budgetMib,
                "--quiet-millis=" + quietMillis,
                row,
                kind.name());
    }

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(directory);
        new RowRun(kind, Row.named(row).part(part), budgetMib << 20, quietMillis, directory)
                .run()
                .lines()
                .forEach(System.out::println);
        return 0;
    }
}
