package io.kvstore.cli;

import io.kvstore.cli.admin.DatabaseCommand;
import io.kvstore.cli.admin.StatsCommand;
import io.kvstore.cli.admin.TableCommand;
import io.kvstore.cli.admin.TopCommand;
import io.kvstore.cli.admin.VersionCommand;
import io.kvstore.cli.console.CommandGroup;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Failures;
import io.kvstore.cli.data.AddCommand;
import io.kvstore.cli.data.CasCommand;
import io.kvstore.cli.data.CountCommand;
import io.kvstore.cli.data.DelCommand;
import io.kvstore.cli.data.ExistsCommand;
import io.kvstore.cli.data.GetCommand;
import io.kvstore.cli.data.PutCommand;
import io.kvstore.cli.data.ScanCommand;
import io.kvstore.cli.rescue.BackupCommand;
import io.kvstore.cli.rescue.CheckCommand;
import io.kvstore.cli.rescue.SalvageCommand;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.shell.Runner;
import io.kvstore.cli.shell.ShellCommand;
import io.kvstore.cli.tablefile.BuildCommand;
import io.kvstore.cli.tablefile.FileCommand;
import io.kvstore.cli.transfer.DumpCommand;
import io.kvstore.cli.transfer.ExportCommand;
import io.kvstore.cli.transfer.ImportCommand;
import io.kvstore.cli.transfer.LoadCommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** All commands. A group of commands has a package of its own, and is put in here. */
@Command(
        name = "kvstore",
        mixinStandardHelpOptions = true,
        description = "Commands for stores, on a server or in a directory, and for table files.")
final class Commands extends CommandGroup {

    private static final int HELP_COLUMNS = 100;

    /** The commands by name. One is made only if it is called, or if all are: this is most of what a start costs. */
    private static final Map<String, Function<Session, Object>> ALL = all();

    private Commands() {}

    private static Map<String, Function<Session, Object>> all() {
        Map<String, Function<Session, Object>> all = new LinkedHashMap<>();
        all.put("get", GetCommand::new);
        all.put("put", PutCommand::new);
        all.put("del", DelCommand::new);
        all.put("exists", ExistsCommand::new);
        all.put("scan", ScanCommand::new);
        all.put("count", CountCommand::new);
        all.put("add", AddCommand::new);
        all.put("cas", CasCommand::new);
        all.put("db", DatabaseCommand::of);
        all.put("table", TableCommand::of);
        all.put("import", ImportCommand::new);
        all.put("export", ExportCommand::new);
        all.put("dump", DumpCommand::new);
        all.put("load", LoadCommand::new);
        all.put("stats", StatsCommand::new);
        all.put("top", TopCommand::new);
        all.put("backup", BackupCommand::of);
        all.put("check", session -> new CheckCommand(session.console()));
        all.put("salvage", SalvageCommand::new);
        all.put("shell", session -> new ShellCommand(session, new InSession(session)));
        all.put("build", BuildCommand::new);
        all.put("file", session -> FileCommand.of(session.console()));
        all.put("completion", session -> new CompletionCommand(session.console(), () -> line(session)));
        all.put("version", session -> new VersionCommand(session, version()));
        return all;
    }

    /** Runs a command in a session of its own; returns the exit status. */
    static int run(Console console, Map<String, String> environment, String... arguments) {
        Failures failures = new Failures(console);
        try (Session session = new Session(console, environment)) {
            return run(session, arguments);
        } catch (RuntimeException | Error e) {
            return failures.told(e);
        }
    }

    /** Runs a command in a session; returns the exit status. */
    static int run(Session session, String... arguments) {
        Failures failures = new Failures(session.console());
        try {
            CommandLine line =
                    arguments.length > 0 && ALL.containsKey(arguments[0]) ? line(session, arguments[0]) : line(session);
            failures.watch(line);
            return line.execute(arguments);
        } catch (RuntimeException | Error e) {
            return failures.told(e);
        }
    }

    /** All commands. */
    static CommandLine line(Session session) {
        return line(session, ALL.keySet().toArray(String[]::new));
    }

    private static CommandLine line(Session session, String... names) {
        CommandLine line = new CommandLine(new Commands());
        for (String name : names) {
            Function<Session, Object> command = ALL.get(name);
            if (command != null) {
                line.addSubcommand(name, command.apply(session));
            }
        }
        line.setUsageHelpWidth(HELP_COLUMNS)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false) // a key may begin with @
                .setOut(new PrintWriter(new OutputStreamWriter(session.console().out(), StandardCharsets.UTF_8), true));
        tellVersion(line);
        return line;
    }

    private static void tellVersion(CommandLine line) {
        line.getCommandSpec().versionProvider(new Version());
        line.getSubcommands().values().forEach(Commands::tellVersion);
    }

    /** Runs commands of a shell. */
    private record InSession(Session session) implements Runner {
        @Override
        public int run(String... arguments) {
            return Commands.run(session, arguments);
        }

        @Override
        public CommandLine all() {
            return line(session);
        }
    }

    /** The version of the build. */
    private static String version() {
        Properties properties = new Properties();
        try (InputStream in = Commands.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("version.properties cannot be read", e);
        }
        return properties.getProperty("version", "unknown");
    }

    /** The version of the build, with the name of the program. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"kvstore " + version()};
        }
    }
}
