package io.kvstore.bench;

import io.kvstore.bench.behaviour.BackupCommand;
import io.kvstore.bench.behaviour.BehaviourCommand;
import io.kvstore.bench.behaviour.SpaceCommand;
import io.kvstore.bench.behaviour.StartCommand;
import io.kvstore.bench.behaviour.StepCommand;
import io.kvstore.bench.counter.AddCommand;
import io.kvstore.bench.counter.CounterCommand;
import io.kvstore.bench.duel.RoundCommand;
import io.kvstore.bench.duel.RunCommand;
import io.kvstore.bench.files.FileCommand;
import io.kvstore.bench.files.FilesCommand;
import io.kvstore.bench.maps.MapCommand;
import io.kvstore.bench.maps.MapsCommand;
import io.kvstore.bench.net.ThriftCommand;
import io.kvstore.bench.offroad.RowCommand;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line of the benchmarks. */
@Command(
        name = "kvstore bench",
        mixinStandardHelpOptions = true,
        description = "Measures this store beside others, in one run on this machine.",
        subcommands = {
            RunCommand.class,
            StartCommand.class,
            BehaviourCommand.class,
            SpaceCommand.class,
            BackupCommand.class,
            ThriftCommand.class,
            MapsCommand.class,
            FilesCommand.class,
            AddCommand.class
        })
public final class BenchMain {

    /** What a command starts in a JVM of its own. None of these needs the others: to load all takes longer than little work. */
    private static final Map<String, Supplier<Callable<Integer>>> OF_CHILDREN = Map.of(
            "round", RoundCommand::new,
            "row", RowCommand::new,
            "map", MapCommand::new,
            "file", FileCommand::new,
            "counter", CounterCommand::new,
            "step", StepCommand::new);

    BenchMain() {}

    /** Runs a command and exits with its code. */
    public static void main(String[] arguments) {
        Supplier<Callable<Integer>> child = arguments.length == 0 ? null : OF_CHILDREN.get(arguments[0]);
        System.exit(
                child == null
                        ? new CommandLine(new BenchMain()).execute(arguments)
                        : new CommandLine(child.get()).execute(Arrays.copyOfRange(arguments, 1, arguments.length)));
    }
}
