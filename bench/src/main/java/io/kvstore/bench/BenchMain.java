package io.kvstore.bench;

import io.kvstore.bench.behaviour.BackupCommand;
import io.kvstore.bench.behaviour.BehaviourCommand;
import io.kvstore.bench.behaviour.SpaceCommand;
import io.kvstore.bench.behaviour.StartCommand;
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
            AddCommand.class,
            RoundCommand.class,
            RowCommand.class,
            MapCommand.class,
            FileCommand.class,
            CounterCommand.class
        })
public final class BenchMain {

    BenchMain() {}

    /** Runs a command and exits with its code. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new BenchMain()).execute(arguments));
    }
}
