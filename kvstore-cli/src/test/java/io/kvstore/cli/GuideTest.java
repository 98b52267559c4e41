package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.console.Console;
import io.kvstore.testkit.Documents;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The guides to table files and to the command line: each command and each program prints what is written below it, where
 * three dots stand for anything. The launcher is replaced by the JVM that it starts ({@code LauncherTest} looks after it).
 */
final class GuideTest {

    private static final String LAUNCHER =
            "'" + System.getProperty("java.home") + "/bin/java' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '"
                    + System.getProperty("java.class.path") + "' ";
    private static final String PROMPT = "$ ";
    private static final Pattern SHELL_PROMPT = Pattern.compile("^kvstore[^>]*> (.*)$");
    private static final Pattern BLOCK =
            Pattern.compile("^```(console|java|kvstore)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern PRINTED =
            Pattern.compile("System\\.out\\.println\\(.*\\); *// (.*)$", Pattern.MULTILINE);

    @TempDir
    private Path temp;

    private Map<String, String> environment = Map.of();

    @Test
    void table_files() throws Exception {
        check("docs/table-files.md", 14);
    }

    @Test
    void the_command_line() throws Exception {
        try (TestServer server = TestServer.start("--data=" + temp.resolve("served"))) {
            environment = Map.of("KVSTORE_URL", server.url());
            check("docs/shell.md", 24);
        }
    }

    @Test
    void operations() throws Exception {
        try (TestServer server =
                TestServer.start("--data=" + temp.resolve("served"), "--backups=" + temp.resolve("kept"))) {
            environment = Map.of("KVSTORE_URL", server.url());
            check("docs/operations.md", 24);
        }
        StringBuilder program = new StringBuilder("""
                import io.kvstore.*;
                import io.kvstore.engine.*;
                import java.io.File;
                import java.nio.file.Path;
                import java.util.List;

                public class Program {
                    public static void main(String[] arguments) {
                        try (KVStore store = new KVStore(new File("live"))) {
                            store.createDB("shop");
                """);
        BLOCK.matcher(Documents.read("docs/operations.md"))
                .results()
                .filter(block -> block.group(1).equals("java"))
                .forEach(block -> program.append(block.group(2)));
        checkProgram(program.append("}}}\n").toString());
    }

    private void check(String guide, int least) throws Exception {
        int commands = 0;
        for (MatchResult block : BLOCK.matcher(Documents.read(guide)).results().toList()) {
            switch (block.group(1)) {
                case "java" -> {
                    if (block.group(2).contains("public class")) {
                        checkProgram(block.group(2));
                    }
                }
                case "console" -> commands += checkCommands(block.group(2));
                default -> checkShell(block.group(2));
            }
        }
        assertTrue(commands >= least, commands + " commands");
    }

    /** The lines that are typed and what they print, all in one shell. */
    private void checkShell(String block) {
        StringBuilder typed = new StringBuilder();
        StringBuilder expected = new StringBuilder();
        block.lines().forEach(line -> {
            Matcher prompt = SHELL_PROMPT.matcher(line);
            if (prompt.matches()) {
                typed.append(prompt.group(1)).append('\n');
            } else {
                expected.append(line).append('\n');
            }
        });
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Console console = new Console(
                new ByteArrayInputStream(typed.toString().getBytes(StandardCharsets.UTF_8)),
                printed,
                printed,
                CommandRun.NONE,
                System::nanoTime);
        assertEquals(0, Commands.run(console, environment, "shell"));
        String text = printed.toString(StandardCharsets.UTF_8);
        assertTrue(text.matches(regex(expected.toString())), text);
    }

    /** Three dots stand for anything in a line, and for any lines if they are a line. */
    private static String regex(String expected) {
        return expected.lines()
                .map(line -> line.equals("...")
                        ? "(?s:.*)"
                        : Stream.of(line.split("\\.\\.\\.", -1))
                                        .map(Pattern::quote)
                                        .collect(Collectors.joining(".*")) + "\n")
                .collect(Collectors.joining());
    }

    private void checkProgram(String source) throws Exception {
        Files.writeString(temp.resolve("Program.java"), source);
        String announced = PRINTED.matcher(source)
                .results()
                .map(line -> line.group(1).strip() + "\n")
                .collect(Collectors.joining());
        assertEquals(announced, printed(LAUNCHER + "Program.java"));
    }

    private int checkCommands(String block) throws Exception {
        List<List<String>> steps = new ArrayList<>();
        block.lines().forEach(line -> {
            if (line.startsWith(PROMPT)) {
                steps.add(new ArrayList<>());
            }
            steps.getLast().add(line);
        });
        for (List<String> step : steps) {
            String command = step.getFirst().substring(PROMPT.length());
            String expected = step.stream().skip(1).map(line -> line + "\n").collect(Collectors.joining());
            String printed = printed(command.replace("./kvstore", LAUNCHER + "io.kvstore.cli.KVStoreCli"));
            assertTrue(printed.matches(regex(expected)), () -> command + " printed:\n" + printed);
        }
        return steps.size();
    }

    /** What a command of the shell prints, on both streams. */
    private String printed(String command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", command)
                .directory(temp.toFile())
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("KVSTORE_"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return printed;
    }
}
