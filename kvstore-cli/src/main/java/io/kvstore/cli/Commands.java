package io.kvstore.cli;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Failures;
import io.kvstore.cli.tablefile.BuildCommand;
import io.kvstore.cli.tablefile.FileCommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** All commands. A group of commands has a package of its own, and is put in here. */
@Command(name = "kvstore", mixinStandardHelpOptions = true, description = "Commands for table files.")
final class Commands implements Runnable {

    private static final int HELP_COLUMNS = 100;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything else happens
    private CommandSpec spec;

    private Commands() {}

    /** Runs a command; returns the exit status. */
    static int run(Console console, String... arguments) {
        Failures failures = new Failures(console);
        try {
            return line(console, failures).execute(arguments);
        } catch (RuntimeException | OutOfMemoryError e) {
            return failures.told(e);
        }
    }

    private static CommandLine line(Console console, Failures failures) {
        CommandLine line = new CommandLine(new Commands())
                .addSubcommand(new BuildCommand(console))
                .addSubcommand(FileCommand.of(console));
        line.setUsageHelpWidth(HELP_COLUMNS)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false) // a key may begin with @
                .setOut(new PrintWriter(new OutputStreamWriter(console.out(), StandardCharsets.UTF_8), true));
        failures.watch(line);
        tellVersion(line);
        return line;
    }

    private static void tellVersion(CommandLine line) {
        line.getCommandSpec().versionProvider(new Version());
        line.getSubcommands().values().forEach(Commands::tellVersion);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "a command is missing: " + String.join(", ", spec.subcommands().keySet()));
    }

    /** The version of the build. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            Properties properties = new Properties();
            try (InputStream in = Commands.class.getResourceAsStream("version.properties")) {
                if (in != null) {
                    properties.load(in);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("version.properties cannot be read", e);
            }
            return new String[] {"kvstore " + properties.getProperty("version", "unknown")};
        }
    }
}
