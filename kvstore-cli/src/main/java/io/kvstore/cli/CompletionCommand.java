package io.kvstore.cli;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a script for shells. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = "Prints a script that lets the shell complete commands and options.",
        footer = {"", "Examples: source <(kvstore completion bash)", "          source <(kvstore completion zsh)"})
final class CompletionCommand implements Callable<Integer> {

    private final Console console;
    private final Supplier<CommandLine> commands;

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    private Shell shell = Shell.BASH;

    enum Shell {
        BASH,
        ZSH
    }

    CompletionCommand(Console console, Supplier<CommandLine> commands) {
        this.console = console;
        this.commands = commands;
    }

    @Override
    public Integer call() {
        String script = AutoComplete.bash("kvstore", commands.get());
        // zsh runs the script of bash once these are loaded
        String loading = shell == Shell.ZSH
                ? "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
                : "";
        console.print(loading + script);
        return ExitStatus.OK;
    }
}
