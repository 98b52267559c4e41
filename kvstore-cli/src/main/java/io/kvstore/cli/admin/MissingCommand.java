package io.kvstore.cli.admin;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The failure of a group of which no command was given. */
final class MissingCommand {

    private MissingCommand() {}

    static ParameterException in(CommandSpec group) {
        return new ParameterException(
                group.commandLine(),
                "a command is missing: " + String.join(", ", group.subcommands().keySet()));
    }
}
