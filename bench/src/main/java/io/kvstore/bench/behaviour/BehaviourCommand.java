package io.kvstore.bench.behaviour;

import io.kvstore.bench.measure.ChildJvm;
import io.kvstore.bench.measure.Document;
import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.measure.Machine;
import io.kvstore.bench.measure.Place;
import io.kvstore.bench.measure.WorkDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures behaviour that is not a rate: opening after a kill, closing, gets beside writers that sync, memory of many tables.
 */
@Command(
        name = "behaviour",
        mixinStandardHelpOptions = true,
        description =
                "Opening after a kill, closing, gets beside writers, a checkpoint after overwrites, memory of many tables.")
public final class BehaviourCommand implements Callable<Integer> {

    @Option(
            names = "--engines",
            split = ",",
            defaultValue = "BPLUS,LSM",
            description = "Engines of the tables. Default: ${DEFAULT-VALUE}")
    private List<String> engines = List.of();

    @Option(names = "--rounds", defaultValue = "3", description = "How often it is opened. Default: ${DEFAULT-VALUE}")
    private int rounds;

    @Option(
            names = "--log-mib",
            defaultValue = "1024",
            description = "Log to replay, in MiB. Default: ${DEFAULT-VALUE}")
    private long logMib;

    @Option(
            names = "--entries",
            defaultValue = "1000000",
            description = "Entries that are read beside writers. Default: ${DEFAULT-VALUE}")
    private long entries;

    @Option(
            names = "--checkpointed",
            defaultValue = "5000000",
            description =
                    "Entries of a table in which some are overwritten before a checkpoint. Default: ${DEFAULT-VALUE}")
    private long checkpointed;

    @Option(
            names = "--overwrites",
            defaultValue = "480000",
            description = "How many of them are overwritten. Default: ${DEFAULT-VALUE}")
    private int overwrites;

    @Option(
            names = "--seconds",
            defaultValue = "10",
            description = "How long gets are measured; 0.5 is half a second. Default: ${DEFAULT-VALUE}")
    private double seconds;

    @Option(names = "--tables", defaultValue = "1000", description = "Tables of a store. Default: ${DEFAULT-VALUE}")
    private long tables;

    @Mixin
    private Place place = new Place();

    @Mixin
    private Document document = new Document();

    @Override
    public Integer call() throws IOException, InterruptedException {
        document.requirePositive("--overwrites", overwrites);
        document.requirePositive("--rounds", rounds);
        document.requirePositive("--seconds", seconds);
        document.requirePositive("--entries", entries);
        document.requirePositive("--tables", tables);
        PrintWriter out = document.begin("Behaviour", Machine.lines());
        out.println("- entries of 12 + 500 bytes; -Xmx1g; percentiles in microseconds");
        for (String engine : engines) {
            out.println();
            out.println("## " + engine);
            out.println();
            for (int round = 0; round < rounds; round++) {
                reopen(engine, out);
            }
            beside(engine, out);
            checkpoint(engine, out);
            Figures found = inNewStore(engine, BehaviourStep.Kind.TABLES, tables);
            print(
                    out,
                    "- %d tables of 100 entries: made in %.1f s; RSS %.0f MiB, %.0f anonymous (%.0f before), heap in use %.0f",
                    tables,
                    found.get("seconds"),
                    found.get("rssMib"),
                    found.get("anonymousMib"),
                    found.get("beforeMib"),
                    found.get("heapMib"));
        }
        return 0;
    }

    private static void print(PrintWriter out, String format, Object... arguments) {
        out.printf(Locale.ROOT, format + "%n", arguments);
        out.flush();
    }

    private void reopen(String engine, PrintWriter out) throws IOException, InterruptedException {
        try (WorkDirectory data = WorkDirectory.in(place.directory())) {
            Figures empty = run(BehaviourStep.Kind.OPEN, engine, 0, data);
            Figures filled = run(BehaviourStep.Kind.FILL, engine, logMib, data);
            Figures opened = run(BehaviourStep.Kind.OPEN, engine, 0, data);
            Figures again = run(BehaviourStep.Kind.OPEN, engine, 0, data);
            if (opened.get("entries") != filled.get("entries") || again.get("entries") != filled.get("entries")) {
                throw new IOException("of " + filled.get("entries") + " entries came back " + opened.get("entries"));
            }
            print(
                    out,
                    "- empty: opened in %.3f s, closed in %.3f; after a kill with %d MiB of log: opened in %.2f s, closed in"
                            + " %.2f; then: opened in %.3f s, closed in %.3f",
                    empty.get("openSeconds"),
                    empty.get("closeSeconds"),
                    logMib,
                    opened.get("openSeconds"),
                    opened.get("closeSeconds"),
                    again.get("openSeconds"),
                    again.get("closeSeconds"));
        }
    }

    private void beside(String engine, PrintWriter out) throws IOException, InterruptedException {
        Figures found = inNewStore(engine, BehaviourStep.Kind.BESIDE, entries);
        for (String name : List.of("alone", "beside")) {
            Figures gets = found.only(name);
            print(
                    out,
                    "- gets %s: %.0f k/s, p50 %.2f, p99 %.1f, p99.9 %.0f, max %.0f",
                    name.equals("alone") ? "alone" : "beside 16 writers that sync",
                    gets.get("opsPerSecond") / 1e3,
                    gets.get("p50Micros"),
                    gets.get("p99Micros"),
                    gets.get("p99.9Micros"),
                    gets.get("maxMicros"));
        }
        print(out, "- the writers meanwhile: %.1f k/s", found.get("putsPerSecond") / 1e3);
    }

    private void checkpoint(String engine, PrintWriter out) throws IOException, InterruptedException {
        try (WorkDirectory data = WorkDirectory.in(place.directory())) {
            Figures found = run(BehaviourStep.Kind.CHECKPOINT, engine, checkpointed, data);
            Figures opened = run(BehaviourStep.Kind.OPEN, engine, 0, data);
            print(
                    out,
                    "- %d entries: index of all keys %.1f bytes a key; after %d overwrites a checkpoint in %.2f s, %.1f MB"
                            + " written beyond the records of values; then: opened in %.3f s, closed in %.3f",
                    checkpointed,
                    found.get("indexBytesPerKey"),
                    overwrites,
                    found.get("seconds"),
                    found.get("beyondValuesMb"),
                    opened.get("openSeconds"),
                    opened.get("closeSeconds"));
        }
    }

    private Figures inNewStore(String engine, BehaviourStep.Kind kind, long size)
            throws IOException, InterruptedException {
        try (WorkDirectory data = WorkDirectory.in(place.directory())) {
            return run(kind, engine, size, data);
        }
    }

    private Figures run(BehaviourStep.Kind kind, String engine, long size, WorkDirectory data)
            throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        List<String> arguments = List.of(
                "step",
                kind.name(),
                engine,
                Long.toString(size),
                Integer.toString(overwrites),
                Double.toString(seconds),
                data.path().toString());
        ChildJvm.run(place.directory(), List.of(), arguments, lines::add);
        return Figures.parse(lines);
    }
}
