package io.kvstore.bench.behaviour;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs one step of {@link BehaviourCommand} in this JVM. Its last argument is a directory that the step does not need. */
@Command(name = "step", hidden = true)
public final class StepCommand implements Callable<Integer> {

    @Parameters(index = "0")
    private BehaviourStep.Kind kind = BehaviourStep.Kind.OPEN;

    @Parameters(index = "1")
    private String engine = "";

    @Parameters(index = "2")
    private long size;

    @Parameters(index = "3")
    private int overwrites;

    @Parameters(index = "4")
    private double seconds;

    @Parameters(index = "5")
    private Path data = Path.of("");

    @Parameters(index = "6")
    private Path unused = Path.of("");

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(unused);
        new BehaviourStep(engine, size, overwrites, seconds, data)
                .run(kind)
                .lines()
                .forEach(System.out::println);
        System.out.flush();
        if (kind == BehaviourStep.Kind.FILL) {
            // like a kill, this closes nothing
            Runtime.getRuntime().halt(0);
        }
        return 0;
    }
}
