package io.kvstore.cli.transfer;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.OutputFile;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.console.Quiet;
import io.kvstore.cli.dump.DumpWriter;
import io.kvstore.cli.dump.NdjsonDumpWriter;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TargetOptions;
import io.kvstore.client.KVClient;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes databases and tables, with their definitions, to a file. */
@Command(
        name = "dump",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Writes databases or tables, with their definitions and entries, as they are at one moment."
                + " 'kvstore load' makes them again, in any store. Temporary tables are left out, unless they are"
                + " named.",
        footer = {
            "",
            "Examples: kvstore dump demo -o demo.dump",
            "          kvstore dump demo | ssh db.example.org kvstore load"
        })
public final class DumpCommand implements Callable<Integer> {

    private static final String STANDARD_OUTPUT = "-";
    private static final int BUFFER_BYTES = 64 << 10;

    private final Session session;

    @Parameters(
            arity = "0..*",
            paramLabel = "DB|DB/TABLE",
            description = "The databases and tables. Default: all databases")
    private List<String> names = new ArrayList<>();

    @Option(
            names = {"-o", "--out"},
            paramLabel = "OUT",
            defaultValue = STANDARD_OUTPUT,
            description = "The file to write, or with ndjson the directory, which has its name when it is whole; - is"
                    + " standard output. Default: ${DEFAULT-VALUE}")
    private String out = STANDARD_OUTPUT;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "binary",
            description = "binary, or ndjson for a directory with a file of text for each table."
                    + " Default: ${DEFAULT-VALUE}")
    private Format format = Format.BINARY;

    @Option(
            names = "--codec",
            paramLabel = "NAME",
            description = "The codec of a binary dump: NONE, LZ4 or ZSTD. Default: LZ4")
    private @Nullable String codec;

    @Mixin
    private final Quiet quiet = new Quiet();

    @Mixin
    private final TargetOptions target = new TargetOptions();

    /** How a dump is written. */
    enum Format {
        BINARY,
        NDJSON
    }

    public DumpCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() throws IOException {
        Console console = session.console();
        boolean isFile = !out.equals(STANDARD_OUTPUT);
        requireFitting(isFile);
        Selection wanted = Selection.of(names);
        KVClient client = session.client(target);
        try (ProgressLine progress = quiet.progress(console);
                DumpRun run = DumpRun.begin(client, wanted, progress)) {
            if (!isFile) {
                OutputStream stream = new BufferedOutputStream(console.outToKeep("dump"), BUFFER_BYTES);
                run.write(writer(stream, run));
            } else if (format == Format.BINARY) {
                writeFile(run, Path.of(out));
                progress.end(summary(run, progress, ", " + Figures.count(Files.size(Path.of(out)), "byte")));
            } else {
                try (NdjsonDumpWriter directory = new NdjsonDumpWriter(Path.of(out), run.contents())) {
                    run.write(directory);
                }
                progress.end(summary(run, progress, ""));
            }
        }
        return ExitStatus.OK;
    }

    private void requireFitting(boolean isFile) {
        if (format == Format.NDJSON && codec != null) {
            throw usage("--codec is for binary dumps; leave it out, or --format ndjson");
        }
        if (format == Format.NDJSON && !isFile) {
            throw usage("--format ndjson makes a directory; name a new one with -o DIRECTORY");
        }
        if (!isFile && session.console().terminals().out()) {
            throw usage("a dump is no text for a terminal; give -o FILE, or write it to a pipe");
        }
    }

    private static CommandFailure usage(String message) {
        return new CommandFailure(ExitStatus.USAGE, message);
    }

    private void writeFile(DumpRun run, Path target) throws IOException {
        OutputFile.requirePlace(target);
        try (OutputFile file = new OutputFile(target)) {
            run.write(writer(file.out(), run));
            file.finish();
        }
    }

    private DumpWriter writer(OutputStream stream, DumpRun run) throws IOException {
        String used = codec == null ? "LZ4" : codec.toUpperCase(Locale.ROOT);
        return new DumpWriter(stream, used, System.currentTimeMillis(), run.contents());
    }

    private String summary(DumpRun run, ProgressLine progress, String bytes) {
        return out + ": " + Figures.count(run.contents().tables().size(), "table") + ", "
                + Figures.count(run.entries(), "entry") + bytes + ", " + Figures.seconds(progress.nanos()) + ", "
                + Figures.rate(run.entries(), "entry", progress.nanos());
    }
}
