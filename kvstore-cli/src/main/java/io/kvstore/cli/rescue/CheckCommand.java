package io.kvstore.cli.rescue;

import io.kvstore.StoreCheck;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Detached;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.FindingLines;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.engine.Findings;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads every byte of a store that no server has open, and checks every rule. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description = "Reads every byte of a store that nobody has open for writing, and checks every rule. Writes"
                + " nothing. Prints each finding in a line, and ends with status 1 if there is one.",
        footer = {"", "Example: kvstore check ./data"})
public final class CheckCommand implements Callable<Integer> {

    private final Console console;

    @Parameters(index = "0", paramLabel = "DIRECTORY", description = "The directory of the store.")
    private @Nullable Path directory;

    @Option(names = "--quiet", description = "Say nothing of a sound store.")
    private boolean quiet;

    public CheckCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path store = GivenStore.existing(directory);
        try (ProgressLine progress = new ProgressLine(console, quiet)) {
            Findings findings = Detached.call(() -> StoreCheck.run(store), console.interruption());
            FindingLines.print(console, findings);
            if (findings.total() > 0) {
                throw new CommandFailure(
                        ExitStatus.ERROR,
                        store + " is damaged, with " + FindingLines.count(findings) + "; restore a backup, or"
                                + " take what is whole with 'kvstore salvage " + store + " --to NEW'");
            }
            progress.end(store + " is sound, " + Figures.seconds(progress.nanos()));
        }
        return ExitStatus.OK;
    }
}
