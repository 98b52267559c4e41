package io.kvstore.bench.duel;

import io.kvstore.bench.store.ContenderKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * Runs one contender through all cases and prints the figures of each case when it has ended. {@link RunCommand} starts it in a
 * JVM.
 */
@Command(name = "round", hidden = true)
public final class RoundCommand implements Callable<Integer> {

    @Mixin
    private RunSettings settings = new RunSettings();

    @Parameters(index = "0")
    private ContenderKind kind = ContenderKind.KVSTORE_BPLUS;

    @Parameters(index = "1")
    private Path directory = Path.of("");

    /** The arguments that {@link #call} reads, except for the directory, which comes last. */
    static List<String> arguments(ContenderKind kind, RunSettings settings) {
        List<String> arguments = new ArrayList<>();
        arguments.add("round");
        arguments.addAll(settings.arguments());
        arguments.add(kind.name());
        return arguments;
    }

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(directory);
        new ContenderRun(kind, settings, directory, figures -> {
                    figures.lines().forEach(System.out::println);
                    System.out.flush();
                })
                .run();
        return 0;
    }
}
