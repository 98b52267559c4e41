package io.kvstore.cli.transfer;

import io.kvstore.cli.console.Aftermath;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.Input;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.console.Quiet;
import io.kvstore.cli.dump.Contents;
import io.kvstore.cli.dump.DumpReader;
import io.kvstore.cli.dump.DumpSource;
import io.kvstore.cli.dump.NdjsonDumpReader;
import io.kvstore.cli.dump.TableDefinition;
import io.kvstore.cli.session.Names;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TargetOptions;
import io.kvstore.client.KVClient;
import io.kvstore.error.CorruptionException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes the databases and tables of a dump. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Makes the databases and tables of a dump, with their entries. A table that is there already is refused"
                        + " before anything is made. Tables have names that begin with loading- until all entries are there."
                        + " A load that fails or is interrupted drops again what it has made. A directory that is missing or"
                        + " empty becomes a store.",
        footer = {"", "Examples: kvstore load demo.dump", "          kvstore load demo.dump --into copy"})
public final class LoadCommand implements Callable<Integer> {

    private static final String STANDARD_INPUT = "-";
    private static final int BUFFER_BYTES = 64 << 10;

    private final Session session;

    @Parameters(
            arity = "0..1",
            paramLabel = "IN",
            defaultValue = STANDARD_INPUT,
            description = "The file or directory of a dump; - is standard input. Default: ${DEFAULT-VALUE}")
    private String input = STANDARD_INPUT;

    @Option(
            names = "--into",
            paramLabel = "DB",
            description = "Make the tables in this database. Default: the databases that they came from")
    private @Nullable String into;

    @Option(
            names = "--option",
            paramLabel = "NAME=VALUE",
            description = "Give all tables this option instead of their own, such as DURABILITY=BUFFERED. May be given"
                    + " again.")
    private Map<String, String> options = new LinkedHashMap<>();

    @Option(
            names = "--check",
            description = "Read and check all of the dump, print its tables, and load nothing. No store is needed.")
    private boolean check;

    @Mixin
    private final Quiet quiet = new Quiet();

    @Mixin
    private final TargetOptions target = new TargetOptions();

    public LoadCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() throws IOException {
        Console console = session.console();
        if (input.equals(STANDARD_INPUT)
                && (session.isShell() || console.terminals().in())) {
            throw new CommandFailure(ExitStatus.USAGE, "a dump is not typed; give IN, the file of a dump");
        }
        if (Files.isDirectory(Path.of(input))) {
            try (DumpSource dump = new NdjsonDumpReader(Path.of(input))) {
                run(dump, () -> ProgressLine.UNKNOWN);
            }
            return ExitStatus.OK;
        }
        try (Input in = Input.open(input, "a dump", console);
                DumpSource dump = open(in)) {
            run(dump, in::part);
        }
        return ExitStatus.OK;
    }

    private static DumpSource open(Input in) throws IOException {
        try {
            return new DumpReader(new BufferedInputStream(in, BUFFER_BYTES), in.name());
        } catch (CorruptionException e) {
            throw Aftermath.told(e, " (nothing was loaded)");
        }
    }

    private void run(DumpSource dump, DoubleSupplier part) throws IOException {
        try (ProgressLine progress = quiet.progress(session.console())) {
            if (check) {
                check(dump, part, progress);
                return;
            }
            List<TableDefinition> tables = wanted(dump.contents());
            List<String> databases = into == null ? dump.contents().databases() : List.of(into);
            KVClient client = session.creatingClient(target);
            LoadRun run = new LoadRun(client, session.store(target), dump, progress, session.console());
            run.load(databases, tables, part);
            progress.end(name() + ": " + Figures.count(tables.size(), "table") + ", "
                    + Figures.count(run.entries(), "entry") + ", " + Figures.seconds(progress.nanos()) + ", "
                    + Figures.rate(run.entries(), "entry", progress.nanos()));
        }
    }

    private String name() {
        return input.equals(STANDARD_INPUT) ? "standard input" : input;
    }

    /** The tables as they are to be made. */
    private List<TableDefinition> wanted(Contents contents) {
        if (into != null && contents.databases().size() > 1) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "the dump has " + contents.databases().size() + " databases, and --into takes those of one;"
                            + " leave it out, or dump one database");
        }
        contents.databases().forEach(database -> Names.checked("database", database));
        List<TableDefinition> tables = new ArrayList<>();
        for (TableDefinition table : contents.tables()) {
            Names.checked("table", table.table());
            String database = Names.checked("database", into == null ? table.database() : into);
            tables.add(table.in(database).with(options));
        }
        return tables;
    }

    private void check(DumpSource dump, DoubleSupplier part, ProgressLine progress) throws IOException {
        List<TableDefinition> tables = dump.contents().tables();
        long[] counts = new long[tables.size()];
        long entries = 0;
        progress.begin("checking", "entry");
        try {
            while (dump.next()) {
                counts[dump.table()]++;
                progress.at(++entries, part.getAsDouble());
            }
        } catch (CorruptionException e) {
            throw Aftermath.told(e, "");
        }
        for (int i = 0; i < counts.length; i++) {
            TableDefinition table = tables.get(i);
            session.console()
                    .print(table.name() + ": " + Figures.count(counts[i], "entry") + ", " + table.engine() + "\n");
        }
        progress.end(name() + " is sound, " + Figures.seconds(progress.nanos()));
    }
}
