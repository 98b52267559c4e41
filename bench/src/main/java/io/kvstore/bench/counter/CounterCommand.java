package io.kvstore.bench.counter;

import io.kvstore.bench.counter.CounterRun.Work;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Changes one key in this JVM, and prints the figures. {@link AddCommand} starts it in a JVM. */
@Command(name = "counter", hidden = true)
public final class CounterCommand implements Callable<Integer> {

    @Parameters(index = "0")
    private String engine = "";

    @Parameters(index = "1", arity = "1")
    private boolean logged;

    @Parameters(index = "2")
    private Work work = Work.ADD;

    @Parameters(index = "3")
    private int threads;

    @Parameters(index = "4")
    private long operations;

    @Parameters(index = "5")
    private Path directory = Path.of("");

    /** The arguments that {@link #call} reads, except for the directory, which comes last. */
    static List<String> arguments(CounterRun run) {
        return List.of(
                "counter",
                run.engine(),
                Boolean.toString(run.logged()),
                run.work().name(),
                Integer.toString(run.threads()),
                Long.toString(run.operations()));
    }

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(directory);
        new CounterRun(engine, logged, work, threads, operations)
                .run(directory)
                .lines()
                .forEach(System.out::println);
        System.out.flush();
        return 0;
    }
}
