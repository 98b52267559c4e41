package io.kvstore.cli.shell;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TargetOptions;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs commands line by line. */
@Command(
        name = "shell",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Runs commands line by line, with history and completion on a terminal. Lines of a file or of a pipe"
                        + " are run up to the first one that fails, whose status the shell ends with.",
        footer = {
            "",
            "Examples: kvstore shell --url ./data",
            "          printf 'use demo/names\\ncount\\n' | kvstore shell"
        })
public final class ShellCommand implements Callable<Integer> {

    private final Session session;
    private final Runner runner;

    @Parameters(arity = "0..1", paramLabel = "DB/TABLE", description = "The database or table to begin with, as 'use'.")
    private @Nullable String place;

    @Mixin
    private final TargetOptions target = new TargetOptions();

    @Option(
            names = {"-k", "--keep-going"},
            description = "Go on behind a line that fails. A terminal always does.")
    private boolean keepGoing;

    public ShellCommand(Session session, Runner runner) {
        this.session = session;
        this.runner = runner;
    }

    @Override
    public Integer call() {
        if (session.isShell()) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "this is a shell already; begin another one in another terminal");
        }
        Console console = session.console();
        session.client(target).ping(); // rather than with the first line
        String where = session.where(target);
        boolean isTyped = console.terminals().in() && console.terminals().out();
        Shell shell = new Shell(session, runner);
        if (!isTyped) {
            session.beginShell(_ -> null);
            begin(shell);
            return shell.run(new ScriptLines(console.in(), "standard input"), keepGoing);
        }
        try (TypedLines lines = TypedLines.open(console, session.environment(), new Completions(session, runner))) {
            session.beginShell(lines::ask);
            begin(shell);
            console.tell("kvstore shell on " + where + "; .help lists the commands, Tab completes, Ctrl-D ends");
            shell.run(lines, true);
        }
        return ExitStatus.OK;
    }

    private void begin(Shell shell) {
        if (place != null) {
            shell.use(place);
        }
    }
}
