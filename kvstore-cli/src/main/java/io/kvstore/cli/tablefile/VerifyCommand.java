package io.kvstore.cli.tablefile;

import io.kvstore.TableFile;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.FindingLines;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads every byte of a table file, and checks every rule. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        description =
                "Reads every byte of a table file and checks every rule. Prints each finding in a line, and ends with"
                        + " status 1 if there is one.")
final class VerifyCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private final GivenFile file = new GivenFile();

    @Option(names = "--quiet", description = "Show no progress, and say nothing of a sound file.")
    private boolean quiet;

    VerifyCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path path = file.path();
        Findings findings;
        try (TableFile opened = TableFile.open(path);
                ProgressLine progress = new ProgressLine(console, quiet)) {
            progress.begin("verifying", "block");
            findings = opened.verify((done, total) -> {
                progress.at(done, (double) done / Math.max(total, 1));
                return true;
            });
            if (findings.total() == 0) {
                progress.end(path + " is sound: "
                        + Figures.count(opened.info().entries(), "entry") + ", "
                        + Figures.count(opened.info().fileBytes(), "byte") + ", "
                        + Figures.seconds(progress.nanos()));
            }
        } catch (CorruptionException e) {
            findings = new Findings();
            findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
        }
        FindingLines.print(console, findings);
        if (findings.total() > 0) {
            throw damaged(path, findings);
        }
        return ExitStatus.OK;
    }

    private static CommandFailure damaged(Path path, Findings findings) {
        return new CommandFailure(
                ExitStatus.ERROR,
                path + " is damaged, with " + FindingLines.count(findings) + "; build it again, or take another copy");
    }
}
