package io.kvstore.cli.tablefile;

import io.kvstore.TableFileBuilder;
import io.kvstore.cli.arguments.RowInput;
import io.kvstore.cli.console.ByteSize;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Input;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.console.Quiet;
import io.kvstore.cli.rows.LineLimit;
import io.kvstore.cli.rows.RowForm;
import io.kvstore.cli.rows.RowSource;
import io.kvstore.cli.session.Session;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileSettings.Duplicates;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.engine.TableFileSettings.Order;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Builds a table file from rows of text. */
@Command(
        name = "build",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Builds a table file from rows of NDJSON, as the HTTP API writes them, or of CSV with a header. A table"
                        + " file that has the name is replaced when the new one is whole.")
public final class BuildCommand implements Callable<Integer> {

    private static final int USUAL_LINE_BYTES = 64 << 20;

    private final Session session;

    @Parameters(index = "0", paramLabel = "OUT", description = "The table file to build.")
    private @Nullable Path out;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "INPUT",
            defaultValue = "-",
            description = "The file of rows; - is standard input. Default: ${DEFAULT-VALUE}")
    private String input = "-";

    @Mixin
    private final RowInput rows = new RowInput(USUAL_LINE_BYTES);

    @Option(names = "--sorted", description = "Refuse a key that is not greater than the one before it.")
    private boolean sorted;

    @Option(
            names = "--duplicates",
            paramLabel = "WHAT",
            defaultValue = "last",
            description = "What becomes of a key that comes again: last keeps the last of its values, refused ends"
                    + " the build. Default: ${DEFAULT-VALUE}")
    private Repeated duplicates = Repeated.LAST;

    @Option(
            names = "--sort-memory",
            paramLabel = "BYTES",
            converter = ByteSize.Converter.class,
            description =
                    "Memory to sort in, such as 64M or 2G; more entries are sorted through temporary files beside OUT."
                            + " Default: 256M, or half of the heap")
    private @Nullable ByteSize sortMemory;

    @Option(
            names = "--layout",
            paramLabel = "NAME",
            defaultValue = "lines",
            description =
                    "How the entries lie in the file: lines; perfect, which is shorter and takes longer to build; or"
                            + " point, for short keys and values of one length each. Default: ${DEFAULT-VALUE}")
    private Layout layout = Layout.LINES;

    @Option(
            names = "--codec",
            paramLabel = "NAME",
            defaultValue = "NONE",
            description = "The codec of blocks: NONE, LZ4 or ZSTD. Default: ${DEFAULT-VALUE}")
    private String codec = "NONE";

    @Option(
            names = "--block",
            paramLabel = "BYTES",
            defaultValue = "4K",
            converter = ByteSize.Converter.class,
            description = "Bytes of entries in a block, before it is compressed. Default: ${DEFAULT-VALUE}")
    private ByteSize block = new ByteSize(4 << 10);

    @Option(names = "--text", paramLabel = "NAME=TEXT", description = "Keep a text in the file. May be given again.")
    private Map<String, String> texts = new LinkedHashMap<>();

    @Option(names = "--force", description = "Replace OUT even if it is no table file.")
    private boolean force;

    @Mixin
    private final Quiet quiet = new Quiet();

    /** What becomes of a key that comes again. */
    enum Repeated {
        LAST,
        REFUSED
    }

    public BuildCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() throws IOException {
        if (out == null) {
            throw new IllegalStateException("OUT was not given");
        }
        if (session.isShell() && input.equals("-")) {
            throw new CommandFailure(ExitStatus.USAGE, "the shell reads standard input itself; give INPUT");
        }
        session.requireWritable();
        Console console = session.console();
        TableFileSettings settings = settings();
        RowForm form = rows.form();
        LineLimit limit = rows.limit();
        Path target = Targets.ofTable(out, force);
        try (Input text = Input.open(input, "rows", console);
                TableFileBuilder builder = TableFileBuilder.create(target, settings);
                ProgressLine progress = quiet.progress(console)) {
            BuildRun run = new BuildRun(out, text, builder, progress);
            progress.end(run.build(() -> RowSource.of(rows.format(input), text, form, limit), sorted));
        } catch (OutOfMemoryError _) {
            throw new CommandFailure(
                    ExitStatus.ERROR,
                    "the heap of " + (Runtime.getRuntime().maxMemory() >> 20) + "M is full; give less to --sort-memory,"
                            + " or a larger heap with JDK_JAVA_OPTIONS=-Xmx4g");
        }
        return ExitStatus.OK;
    }

    private TableFileSettings settings() {
        return new TableFileSettings(
                sorted ? Order.ASCENDING : Order.ANY,
                duplicates == Repeated.LAST ? Duplicates.LAST_WINS : Duplicates.REFUSED,
                sortMemoryBytes(),
                layout,
                codec.toUpperCase(Locale.ROOT),
                Math.clamp(block.bytes(), 0, Integer.MAX_VALUE),
                texts);
    }

    private long sortMemoryBytes() {
        long heap = Runtime.getRuntime().maxMemory();
        if (sortMemory == null) {
            return Math.min(TableFileSettings.USUAL.sortMemoryBytes(), heap / 2);
        }
        if (sortMemory.bytes() > heap / 4 * 3) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "--sort-memory is " + (sortMemory.bytes() >> 20) + "M, and the heap has " + (heap >> 20)
                            + "M; give at most three quarters of it, or a larger heap with JDK_JAVA_OPTIONS=-Xmx8g");
        }
        return sortMemory.bytes();
    }
}
