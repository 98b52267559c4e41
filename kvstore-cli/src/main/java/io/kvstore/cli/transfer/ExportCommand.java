package io.kvstore.cli.transfer;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.OutputFile;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.rows.ByteForm;
import io.kvstore.cli.rows.NotTextException;
import io.kvstore.cli.rows.RowFormat;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.RangeOptions;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableName;
import io.kvstore.client.ClientSnapshot;
import io.kvstore.client.KVClient;
import io.kvstore.client.ScanOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
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

    private static final String STANDARD_OUTPUT = "-";

    private final Session session;

    @Mixin
    private final GivenTable table = new GivenTable();

    @Option(
            names = {"-o", "--out"},
            paramLabel = "OUT",
            defaultValue = STANDARD_OUTPUT,
            description = "The file to write, which has its name when it is whole; - is standard output."
                    + " Default: ${DEFAULT-VALUE}")
    private String out = STANDARD_OUTPUT;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "ndjson or csv. Default: csv if OUT ends so, or else ndjson")
    private @Nullable RowFormat format;

    @Option(
            names = "--encoding",
            paramLabel = "ENCODING",
            defaultValue = "auto",
            description =
                    "How keys and values are written: auto, utf8, hex or base64. Default: ${DEFAULT-VALUE}, which is"
                            + " text where it is text, and base64 where it is not: for each key and value of NDJSON, for all"
                            + " keys and for all values of CSV, whose entries are read twice for it")
    private ByteForm encoding = ByteForm.AUTO;

    @Mixin
    private final RangeOptions range = new RangeOptions();

    @Option(names = "--limit", paramLabel = "N", description = "The most entries. Default: all")
    private @Nullable Long limit;

    @Option(names = "--quiet", description = "Show no progress, and do not say what was written.")
    private boolean quiet;

    public ExportCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() throws IOException {
        Console console = session.console();
        boolean isFile = !out.equals(STANDARD_OUTPUT);
        ScanOptions options = options();
        TableName name = table.name(session);
        KVClient client = session.client(table.target());
        // a bar would stand in the middle of what a terminal shows of the entries
        boolean isSilent = quiet || (!isFile && console.terminals().out());
        try (ClientSnapshot snapshot = client.snapshot();
                ProgressLine progress = new ProgressLine(console, isSilent)) {
            RowFormat used = format != null ? format : RowFormat.ofName(out);
            ExportRun run = new ExportRun(
                    snapshot.table(name.database(), name.table()), options, used, encoding.encoding(), progress);
            if (isFile) {
                writeFile(run, Path.of(out), progress);
            } else {
                run.write(console.out());
            }
        } catch (NotTextException e) {
            throw new CommandFailure(ExitStatus.ERROR, name + ": " + e.getMessage());
        }
        return ExitStatus.OK;
    }

    private static void writeFile(ExportRun run, Path target, ProgressLine progress) throws IOException {
        OutputFile.requireDirectory(target);
        try (OutputFile text = new OutputFile(target)) {
            OutputStream stream = text.out();
            long entries = run.write(stream);
            text.finish();
            progress.end(target + ": " + Figures.count(entries, "entry") + ", " + Figures.seconds(progress.nanos())
                    + ", " + Figures.rate(entries, "entry", progress.nanos()));
        }
    }

    private ScanOptions options() {
        if (limit != null && limit < 1) {
            throw new CommandFailure(ExitStatus.USAGE, "--limit is " + limit + "; give 1 or more");
        }
        ScanOptions options = ScanOptions.of(range.range(session, null));
        return limit == null ? options : options.withLimit(limit);
    }
}
