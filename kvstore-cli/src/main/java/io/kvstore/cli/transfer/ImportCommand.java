package io.kvstore.cli.transfer;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Input;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.rows.Encoding;
import io.kvstore.cli.rows.RowForm;
import io.kvstore.cli.rows.RowFormat;
import io.kvstore.cli.rows.RowSource;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableName;
import io.kvstore.client.KVClient;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts rows of text into a table. */
@Command(
        name = "import",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Puts rows of NDJSON, as 'kvstore export' and the HTTP API write them, or of CSV with a header into a"
                        + " table. Rows go in batches, each as a whole or not at all. Rows before one that is refused are kept;"
                        + " the same rows may be imported again.",
        footer = {
            "",
            "Examples: kvstore import names.ndjson -t demo/names",
            "          kvstore import users.csv -t demo/users --key id --value name"
        })
public final class ImportCommand implements Callable<Integer> {

    /** Beyond that is nothing that a server takes. */
    private static final int MOST_LINE_BYTES = 128 << 20;

    private final Session session;

    @Parameters(
            arity = "0..1",
            paramLabel = "INPUT",
            defaultValue = "-",
            description = "The file of rows; - is standard input. Default: ${DEFAULT-VALUE}")
    private String input = "-";

    @Mixin
    private final GivenTable table = new GivenTable();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "ndjson or csv. Default: csv if INPUT ends so, or else ndjson")
    private @Nullable RowFormat format;

    @Option(
            names = "--key",
            paramLabel = "FIELD",
            defaultValue = "key",
            description = "The field or column of the key. FIELD_hex and FIELD_b64 are taken for it, too."
                    + " Default: ${DEFAULT-VALUE}")
    private String key = "key";

    @Option(
            names = "--value",
            paramLabel = "FIELD",
            defaultValue = "value",
            description = "The field or column of the value. Default: ${DEFAULT-VALUE}")
    private String value = "value";

    @Option(
            names = "--key-encoding",
            paramLabel = "ENCODING",
            defaultValue = "utf8",
            description = "How FIELD of the key is written: utf8, hex or base64. Default: ${DEFAULT-VALUE}")
    private Encoding keyEncoding = Encoding.UTF8;

    @Option(
            names = "--value-encoding",
            paramLabel = "ENCODING",
            defaultValue = "utf8",
            description = "How FIELD of the value is written. Default: ${DEFAULT-VALUE}")
    private Encoding valueEncoding = Encoding.UTF8;

    @Option(names = "--quiet", description = "Show no progress, and do not say what was imported.")
    private boolean quiet;

    public ImportCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() throws IOException {
        if (key.equals(value)) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "--key and --value are both " + key + "; give the names of two fields");
        }
        if (session.isShell() && input.equals("-")) {
            throw new CommandFailure(ExitStatus.USAGE, "the shell reads standard input itself; give INPUT");
        }
        RowForm form = new RowForm(key, keyEncoding, value, valueEncoding);
        Console console = session.console();
        TableName name = table.name(session);
        try (Input text = Input.open(input, console);
                ProgressLine progress = new ProgressLine(console, quiet)) {
            KVClient client = session.client(table.target());
            ImportRun run = new ImportRun(client, name, text, progress);
            RowFormat used = format != null ? format : RowFormat.ofName(input);
            progress.end(run.run(() -> RowSource.of(used, text, form, MOST_LINE_BYTES)));
        }
        return ExitStatus.OK;
    }
}
