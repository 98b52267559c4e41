package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.session.Session;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Help and completion of all commands. */
final class HelpTest {

    /** Commands whose guide is full of examples. */
    private static final Set<String> OF_TABLE_FILES = Set.of("build", "file");

    @TempDir
    private Path temp;

    private static CommandLine all() {
        Console console = new Console(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                CommandRun.NONE,
                System::nanoTime);
        return Commands.line(new Session(console, Map.of()));
    }

    @Test
    void each_command_has_an_example_that_names_it() {
        List<List<String>> commands = new ArrayList<>();
        all().getSubcommands().forEach((name, command) -> {
            if (!OF_TABLE_FILES.contains(name)) {
                commands.add(List.of(name));
                command.getSubcommands().keySet().forEach(inner -> commands.add(List.of(name, inner)));
            }
        });
        assertTrue(commands.size() >= 25, commands::toString);
        for (List<String> command : commands) {
            String help = CommandRun.of((String.join(" ", command) + " --help").split(" ", -1))
                    .good();
            int example = help.indexOf("Example");
            assertTrue(help.startsWith("Usage: kvstore " + String.join(" ", command)) && example > 0, help);
            assertTrue(help.substring(example).contains("kvstore " + String.join(" ", command)), help);
            assertTrue(help.lines().allMatch(line -> line.length() <= 100), help);
        }
    }

    @Test
    void the_launcher_knows_each_command() throws Exception {
        String script = Files.readString(Path.of(System.getProperty("basedir", "."), "..", "kvstore"));
        Set<String> passed = script.lines()
                .filter(line -> line.endsWith(") cli \"$command\" \"$@\" ;;"))
                .flatMap(line -> Stream.of(line.substring(0, line.indexOf(')')).split("\\|", -1)))
                .map(String::strip)
                .collect(Collectors.toSet());
        assertEquals(all().getSubcommands().keySet(), passed);
        String usage = script.substring(script.indexOf("<<'USAGE'"), script.lastIndexOf("\nUSAGE"));
        for (String command : passed) {
            assertTrue(usage.matches("(?s).*\\b" + command + "\\b.*"), command + " is not in the usage");
        }
    }

    @Test
    void a_shell_can_load_the_completion() throws Exception {
        for (String shell : List.of("bash", "zsh")) {
            String script = CommandRun.in(Map.of(), Streams.of(new byte[0]), "completion", shell)
                    .good();
            assertTrue(script.contains("scan") && script.contains("--keys-only") && script.contains("truncate"));
            assertEquals(shell.equals("zsh"), script.startsWith("autoload -U +X compinit"));
        }
        Path script = Files.writeString(
                temp.resolve("script"), CommandRun.of("completion", "bash").good());
        String check = "source '" + script + "' && COMP_WORDS=(kvstore ta) && COMP_CWORD=1 && _complete_kvstore"
                + " && echo \"${COMPREPLY[@]}\"";
        Process bash = new ProcessBuilder("bash", "-c", check)
                .redirectErrorStream(true)
                .start();
        assertEquals(
                "table\n", new String(bash.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
    }
}
