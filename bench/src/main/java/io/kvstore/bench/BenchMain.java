package io.kvstore.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The benchmarks' command line. */
@Command(
        name = "kvstore bench",
        mixinStandardHelpOptions = true,
        description = "Measures this store beside others, in one run on this machine.",
        subcommands = {
            RunCommand.class,
            LogCommand.class,
            StartCommand.class,
            BehaviourCommand.class,
            SpaceCommand.class,
            ThriftCommand.class,
            MeasureCommand.class,
            RoundCommand.class
        })
public final class BenchMain {

    private BenchMain() {}

    /** Runs a command and exits with its code. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new BenchMain()).execute(arguments));
    }
}
