package io.kvstore.cli.data;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.GivenOutput;
import io.kvstore.cli.session.GivenTable;
import io.kvstore.cli.session.OutputForm;
import io.kvstore.cli.session.RangeOptions;
import io.kvstore.cli.session.Session;
import io.kvstore.client.ClientEntry;
import io.kvstore.client.ClientTable;
import io.kvstore.client.ScanOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints entries in the order of their keys. */
@Command(
        name = "scan",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Prints entries in the order of their keys. A page shows the table as it is when the page is read.",
        footer = {
            "",
            "Examples: kvstore scan -t demo/names 'BLACK CHESS' --limit 3",
            "          kvstore scan -t demo/names --from SNOW --to SNOX --keys-only"
        })
public final class ScanCommand implements Callable<Integer> {

    private final Session session;

    @Parameters(index = "0", arity = "0..1", paramLabel = "PREFIX", description = "Only keys that begin so.")
    private @Nullable String prefix;

    @Mixin
    private final RangeOptions range = new RangeOptions();

    @Option(names = "--limit", paramLabel = "N", description = "The most entries. Default: all")
    private @Nullable Long limit;

    @Option(names = "--reverse", description = "From the last key down.")
    private boolean reverse;

    @Option(names = "--keys-only", description = "Leave values out.")
    private boolean keysOnly;

    @Mixin
    private final GivenTable table = new GivenTable();

    @Mixin
    private final GivenOutput output = new GivenOutput();

    public ScanCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() throws IOException {
        ScanOptions options = options();
        ClientTable opened = table.open(session);
        EntryPrinter printer = EntryPrinter.of(session.console(), output.of(session, OutputForm.TABLE), keysOnly);
        for (ClientEntry entry : opened.scan(options)) {
            session.console().interruption().check();
            byte[] value = entry.isTooLarge() ? opened.get(entry.key()) : entry.value();
            if (keysOnly || value != null) { // a large value may have gone since the page was read
                printer.print(entry.key(), value);
            }
        }
        printer.end();
        return ExitStatus.OK;
    }

    private ScanOptions options() {
        if (limit != null && limit < 1) {
            throw new CommandFailure(ExitStatus.USAGE, "--limit is " + limit + "; give 1 or more");
        }
        ScanOptions options = ScanOptions.of(range.range(session, prefix));
        options = limit == null ? options : options.withLimit(limit);
        options = reverse ? options.reverse() : options;
        return keysOnly ? options.withoutValues() : options;
    }
}
