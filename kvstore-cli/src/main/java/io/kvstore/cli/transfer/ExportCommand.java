package io.kvstore.cli.transfer;

import io.kvstore.cli.arguments.RowOutput;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.OutputFile;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.console.Quiet;
import io.kvstore.cli.http.HttpApiClient;
import io.kvstore.cli.rows.NotTextException;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.RangeOptions;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableFigures;
import io.kvstore.cli.session.TableName;
import io.kvstore.client.ClientSnapshot;
import io.kvstore.client.KVClient;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.Statistics;
import io.kvstore.client.TableDescription;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the entries of a table as text. */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Writes the entries of a table as text, as they are at one moment. 'kvstore import', 'kvstore build' and"
                        + " the HTTP API read it.",
        footer = {
            "",
            "Examples: kvstore export -t demo/names -o names.ndjson",
            "          kvstore export -t demo/names --format csv --prefix BLACK"
        })
public final class ExportCommand implements Callable<Integer> {

    private final Session session;

    @Mixin
    private final GivenTable table = new GivenTable();

    @Mixin
    private final RowOutput output = new RowOutput();

    @Mixin
    private final RangeOptions range = new RangeOptions();

    @Option(names = "--limit", paramLabel = "N", description = "The most entries. Default: all")
    private @Nullable Long limit;

    @Mixin
    private final Quiet quiet = new Quiet();

    public ExportCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() throws IOException {
        Console console = session.console();
        Path file = output.file();
        ScanOptions options = options();
        TableName name = table.name(session);
        KVClient client = session.client(table.target());
        // a bar would stand in the middle of what a terminal shows of the entries
        boolean isSilent =
                quiet.isGiven() || (file == null && console.terminals().out());
        HttpApiClient http = session.http(table.target());
        TableDescription before = client.table(name.database(), name.table()).describe();
        try (ClientSnapshot snapshot = http == null ? client.snapshot(EntryWalk.LEASE_MILLIS) : null;
                ProgressLine progress = new ProgressLine(console, isSilent)) {
            EntrySource entries = snapshot == null
                    ? new StreamedEntries(Objects.requireNonNull(http), name, options, progress)
                    : new EntryWalk(
                            snapshot.table(name.database(), name.table()),
                            options,
                            new SameTable(client, before, "export"),
                            progress);
            ExportRun run = new ExportRun(entries, output.format(), output.encoding(), progress, about(client, name));
            if (file != null) {
                writeFile(run, file, progress);
            } else {
                run.write(console.outToKeep("export"));
            }
        } catch (NotTextException e) {
            throw new CommandFailure(ExitStatus.ERROR, name + ": " + e.getMessage());
        }
        return ExitStatus.OK;
    }

    private static void writeFile(ExportRun run, Path target, ProgressLine progress) throws IOException {
        OutputFile.requirePlace(target);
        try (OutputFile text = new OutputFile(target)) {
            OutputStream stream = text.out();
            long entries = run.write(stream);
            text.finish();
            progress.end(target + ": " + Figures.count(entries, "entry") + ", " + Figures.seconds(progress.nanos())
                    + ", " + Figures.rate(entries, "entry", progress.nanos()));
        }
    }

    /** How many entries there are, estimated; 0 where nobody knows. */
    private long about(KVClient client, TableName name) {
        if (range.isAnyGiven()) {
            return 0;
        }
        Statistics statistics = client.table(name.database(), name.table()).stats();
        long entries = TableFigures.entries(statistics.numbers());
        return limit == null ? entries : Math.min(entries, limit);
    }

    private ScanOptions options() {
        if (limit != null && limit < 1) {
            throw new CommandFailure(ExitStatus.USAGE, "--limit is " + limit + "; give 1 or more");
        }
        ScanOptions options = ScanOptions.of(range.range(session, null));
        return limit == null ? options : options.withLimit(limit);
    }
}
