package io.kvstore.cli.transfer;

import io.kvstore.cli.arguments.RowInput;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Input;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.console.Quiet;
import io.kvstore.cli.rows.LineLimit;
import io.kvstore.cli.rows.RowForm;
import io.kvstore.cli.rows.RowSource;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableName;
import io.kvstore.client.KVClient;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

    /** A server takes nothing beyond that, unless it was given larger limits. */
    private static final int USUAL_LINE_BYTES = 128 << 20;

    private final Session session;

    @Parameters(
            arity = "0..1",
            paramLabel = "INPUT",
            defaultValue = "-",
            description = "The file of rows; - is standard input. Default: ${DEFAULT-VALUE}")
    private String input = "-";

    @Mixin
    private final GivenTable table = new GivenTable();

    @Mixin
    private final RowInput rows = new RowInput(USUAL_LINE_BYTES);

    @Mixin
    private final Quiet quiet = new Quiet();

    public ImportCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() throws IOException {
        RowForm form = rows.form();
        LineLimit limit = rows.limit();
        if (session.isShell() && input.equals("-")) {
            throw new CommandFailure(ExitStatus.USAGE, "the shell reads standard input itself; give INPUT");
        }
        Console console = session.console();
        TableName name = table.name(session);
        try (Input text = Input.open(input, "rows", console);
                ProgressLine progress = quiet.progress(console)) {
            KVClient client = session.client(table.target());
            ImportRun run = new ImportRun(client, session.store(table.target()), name, text, progress);
            progress.end(run.run(() -> RowSource.of(rows.format(input), text, form, limit)));
        }
        return ExitStatus.OK;
    }
}
