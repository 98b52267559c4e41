package io.kvstore.cli.admin;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TargetOptions;
import io.kvstore.client.KVClient;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what a store does, again and again. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Shows what a store does, on the whole screen of a terminal, with a line for each table, until q or Ctrl-C."
                        + " Elsewhere, and in the shell, it prints a line each second: logged writes, bytes of the log and"
                        + " syncs in a second; entries (estimated), bytes of files, bytes of memory and open snapshots."
                        + " Reads are not counted.",
        footer = {"", "Example: kvstore top --count 10"})
public final class TopCommand implements Callable<Integer> {

    private static final double LONGEST_SECONDS = 3_600;
    private static final double SHORTEST_SECONDS = 0.01;

    /** A terminal that can do nothing but print. */
    private static final String DUMB = "dumb";

    private final Session session;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "The seconds between two looks, 0.01 to 3600. Default: ${DEFAULT-VALUE}")
    private double interval = 1;

    @Option(names = "--count", paramLabel = "N", description = "The number of looks. Default: no end")
    private @Nullable Long count;

    @Option(names = "--lines", description = "Print a line for each look on a terminal, too.")
    private boolean lines;

    @Mixin
    private final TargetOptions target = new TargetOptions();

    public TopCommand(Session session) {
        this.session = session;
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
        try (TopView view = view()) {
            Moment before = Moment.of(client, console);
            view.begin(before);
            for (long shown = 0; count == null || shown < count; shown++) {
                if (view.await((long) (interval * TimeUnit.SECONDS.toNanos(1)))) {
                    return ExitStatus.OK; // there is no other way to end it
                }
                Moment now = Moment.of(client, console);
                view.show(before, now);
                before = now;
            }
        }
        return ExitStatus.OK;
    }

    /** A shell has the terminal for itself, so its commands print lines. */
    private TopView view() {
        Console console = session.console();
        String kind = session.environment().getOrDefault("TERM", DUMB);
        boolean isScreen = !lines
                && !session.isShell()
                && console.terminals().in()
                && console.terminals().out()
                && !kind.equals(DUMB);
        return isScreen ? TopScreen.open(console, session.where(target)) : new TopLines(console);
    }
}
