package io.kvstore.cli.rescue;

import io.kvstore.Salvage;
import io.kvstore.SalvageReport;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.FindingLines;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.session.Session;
import io.kvstore.error.KVStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a new store of all entries of a damaged one that can be read. */
@Command(
        name = "salvage",
        mixinStandardHelpOptions = true,
        description = "Makes a new store of what is whole of a damaged one, to which nothing is written. Prints what is"
                + " lost, a line each, and ends with status 1 if there is anything.",
        footer = {"", "Example: kvstore salvage ./data --to ./rescued"})
public final class SalvageCommand implements Callable<Integer> {

    private final Session session;

    @Parameters(index = "0", paramLabel = "DIRECTORY", description = "The directory of the damaged store.")
    private @Nullable Path directory;

    @Option(names = "--to", required = true, paramLabel = "NEW", description = "A new directory, or an empty one.")
    private @Nullable Path target;

    @Option(names = "--quiet", description = "Show no progress.")
    private boolean quiet;

    public SalvageCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        session.requireWritable();
        Console console = session.console();
        Path store = GivenStore.existing(directory);
        Path to = target == null ? store : target;
        SalvageReport report = salvaged(store, to);
        for (SalvageReport.SalvagedTable table : report.tables()) {
            console.print(table.database() + "/" + table.name() + ": "
                    + Figures.count(table.entries(), "entry") + ", "
                    + table.engine().toLowerCase(Locale.ROOT)
                    + (table.isRead() ? "" : ", of the log alone") + "\n");
        }
        FindingLines.print(console, report.losses());
        if (!report.isWhole()) {
            throw new CommandFailure(
                    ExitStatus.ERROR,
                    "something of " + store + " is lost: " + FindingLines.count(report.losses()) + "; " + to
                            + " has the rest");
        }
        return ExitStatus.OK;
    }

    /** A store with a part of the entries looks like one that is whole, so a salvage that ends early names it. */
    private SalvageReport salvaged(Path store, Path to) {
        Console console = session.console();
        boolean wasVacant = isVacant(to);
        try {
            return run(store, to);
        } catch (CommandFailure e) {
            throw new CommandFailure(e.status(), e.getMessage() + (wasVacant ? left(to) : ""));
        } catch (KVStoreException e) {
            String left = wasVacant ? left(to) : "";
            throw left.isEmpty() ? e : new CommandFailure(ExitStatus.ERROR, e.getMessage() + left);
        } catch (OutOfMemoryError e) {
            if (wasVacant && !left(to).isEmpty()) {
                console.fail("the salvage did not end" + left(to));
            }
            throw e;
        }
    }

    private SalvageReport run(Path store, Path to) {
        try (ProgressLine progress = new ProgressLine(session.console(), quiet)) {
            progress.begin("salvaging", "entry");
            SalvageReport report = Salvage.run(store, to, (done, total) -> {
                progress.at(done, ProgressLine.UNKNOWN);
                return true;
            });
            progress.end(to + ": " + Figures.count(report.tables().size(), "table") + ", "
                    + Figures.seconds(progress.nanos()));
            return report;
        }
    }

    /** The sentence about the new directory for a message. It is empty if there is no such directory. */
    private static String left(Path to) {
        return isVacant(to) ? "" : "; " + to + " has a part of the entries only: delete it";
    }

    private static boolean isVacant(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findFirst().isEmpty();
        } catch (IOException e) {
            return !Files.exists(directory); // else it is no directory, which the salvage tells
        }
    }
}
