package io.kvstore.cli.tablefile;

import io.kvstore.cli.console.CommandGroup;
import io.kvstore.cli.console.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What can be done with a table file that is there. */
@Command(
        name = "file",
        mixinStandardHelpOptions = true,
        description = "Looks at a table file, checks it, or writes its entries as text. No store is needed.")
public final class FileCommand extends CommandGroup {

    private FileCommand() {}

    /** The command with all that belong to it. */
    public static CommandLine of(Console console) {
        return new CommandLine(new FileCommand())
                .addSubcommand(new InfoCommand(console))
                .addSubcommand(new VerifyCommand(console))
                .addSubcommand(new ExportCommand(console))
                .addSubcommand(new GetCommand(console));
    }
}
