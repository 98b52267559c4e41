package io.kvstore.cli.admin;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TargetOptions;
import io.kvstore.client.KVClient;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints what a store does, in a line each second. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Prints what a store does, in a line each second, until Ctrl-C. A line has logged writes, bytes of the log and"
                        + " syncs in a second; entries (estimated), bytes of files, bytes of memory and open snapshots."
                        + " Reads are not counted.",
        footer = {"", "Example: kvstore top --count 10"})
public final class TopCommand implements Callable<Integer> {

    private static final double LONGEST_SECONDS = 3_600;
    private static final double SHORTEST_SECONDS = 0.01;
    private static final int HEADER_EVERY = 20;
    private static final int[] WIDTHS = {12, 14, 10, 14, 16, 14, 10};

    private final Session session;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "The seconds between two lines, 0.01 to 3600. Default: ${DEFAULT-VALUE}")
    private double interval = 1;

    @Option(names = "--count", paramLabel = "N", description = "The number of lines. Default: no end")
    private @Nullable Long count;

    @Mixin
    private final TargetOptions target = new TargetOptions();

    public TopCommand(Session session) {
        this.session = session;
    }

    /** The figures at one moment. */
    private record Moment(Map<String, Double> numbers, long nanos) {

        static Moment of(KVClient client, Console console) {
            return new Moment(client.stats().numbers(), console.nanos());
        }

        double number(String name) {
            return numbers.getOrDefault(name, 0.0);
        }

        /** The sum of a figure over a family of names. */
        long sum(String beginning, String end) {
            return (long) numbers.entrySet().stream()
                    .filter(figure -> figure.getKey().startsWith(beginning)
                            && figure.getKey().endsWith(end))
                    .mapToDouble(Map.Entry::getValue)
                    .sum();
        }

        String rate(Moment before, String name) {
            double seconds = Math.max(nanos - before.nanos, 1) / (double) TimeUnit.SECONDS.toNanos(1);
            return Figures.count(Math.max(0, Math.round((number(name) - before.number(name)) / seconds)));
        }
    }

    @Override
    public Integer call() {
        if (!(interval >= SHORTEST_SECONDS && interval <= LONGEST_SECONDS)) {
            throw new CommandFailure(ExitStatus.USAGE, "--interval is " + interval + "; give 0.01 to 3600");
        }
        if (count != null && count < 1) {
            throw new CommandFailure(ExitStatus.USAGE, "--count is " + count + "; give 1 or more");
        }
        Console console = session.console();
        KVClient client = session.client(target);
        Moment before = Moment.of(client, console);
        for (long line = 0; count == null || line < count; line++) {
            if (console.interruption().await((long) (interval * TimeUnit.SECONDS.toNanos(1)))) {
                return ExitStatus.OK; // there is no other way to end it
            }
            if (line % HEADER_EVERY == 0) {
                print(
                        console,
                        "writes/s",
                        "log bytes/s",
                        "syncs/s",
                        "entries",
                        "file bytes",
                        "memory bytes",
                        "snapshots");
            }
            Moment now = Moment.of(client, console);
            print(
                    console,
                    now.rate(before, "log.records"),
                    now.rate(before, "log.recordBytes"),
                    now.rate(before, "log.syncs"),
                    Figures.count(now.sum("tables.", ".engine.entries")),
                    Figures.count(now.sum("tables.", ".engine.diskBytes") + (long) now.number("log.fileBytes")),
                    Figures.count(now.sum("memoryUsedBytes.", "")),
                    Figures.count((long) now.number("openSnapshots")));
            before = now;
        }
        return ExitStatus.OK;
    }

    private static void print(Console console, String... columns) {
        StringBuilder row = new StringBuilder();
        for (int i = 0; i < columns.length; i++) {
            row.append(i == 0 ? "" : " ")
                    .repeat(' ', Math.max(0, WIDTHS[i] - columns[i].length()))
                    .append(columns[i]);
        }
        console.print(row.append('\n').toString());
    }
}
