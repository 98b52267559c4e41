package io.kvstore.cli.admin;

import io.kvstore.cli.console.CommandGroup;
import io.kvstore.cli.session.Session;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Commands for tables. */
@Command(
        name = "table",
        mixinStandardHelpOptions = true,
        description = "Lists, creates, describes, renames, alters, empties, compacts or drops tables.",
        footer = {"", "Example: kvstore table create demo/names --engine lsm"})
public final class TableCommand extends CommandGroup {

    private TableCommand() {}

    /** The command with all that belong to it. */
    public static CommandLine of(Session session) {
        return new CommandLine(new TableCommand())
                .addSubcommand(new TableListCommand(session))
                .addSubcommand(new TableCreateCommand(session))
                .addSubcommand(new TableInfoCommand(session))
                .addSubcommand(new TableRenameCommand(session))
                .addSubcommand(new TableAlterCommand(session))
                .addSubcommand(new TableJobs.Truncate(session))
                .addSubcommand(new TableJobs.Compact(session))
                .addSubcommand(new TableJobs.Drop(session));
    }
}
