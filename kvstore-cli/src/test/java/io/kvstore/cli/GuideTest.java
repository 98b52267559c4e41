package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.Documents;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The guide to table files: each command and each program prints what is written below it, where three dots stand for anything.
 * The launcher is replaced by the JVM that it starts ({@code LauncherTest} looks after it).
 */
final class GuideTest {

    private static final String GUIDE = "docs/table-files.md";
    private static final String JAVA = System.getProperty("java.home") + "/bin/java";
    private static final String CLASS_PATH = System.getProperty("java.class.path");
    private static final String PROMPT = "$ ";
    private static final Pattern BLOCK =
            Pattern.compile("^```(console|java)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern PRINTED =
            Pattern.compile("System\\.out\\.println\\(.*\\); *// (.*)$", Pattern.MULTILINE);

    @TempDir
    private Path temp;

    @Test
    void every_command_and_program_prints_what_is_written() throws Exception {
        int programs = 0;
        int commands = 0;
        for (MatchResult block : BLOCK.matcher(Documents.read(GUIDE)).results().toList()) {
            if (block.group(1).equals("java")) {
                programs++;
                checkProgram(block.group(2));
            } else {
                commands += checkCommands(block.group(2));
            }
        }
        assertTrue(programs >= 1 && commands >= 14, programs + " programs, " + commands + " commands");
    }

    private void checkProgram(String source) throws Exception {
        Files.writeString(temp.resolve("Program.java"), source);
        String announced = PRINTED.matcher(source)
                .results()
                .map(line -> line.group(1).strip() + "\n")
                .collect(Collectors.joining());
        assertEquals(announced, printed("'" + JAVA + "' -cp '" + CLASS_PATH + "' Program.java"));
    }

    private int checkCommands(String block) throws Exception {
        String launcher = "'" + JAVA + "' -cp '" + CLASS_PATH + "' io.kvstore.cli.KVStoreCli";
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
            String regex = Stream.of(expected.split("\\.\\.\\.", -1))
                    .map(Pattern::quote)
                    .collect(Collectors.joining(".*"));
            String printed = printed(command.replace("./kvstore", launcher));
            assertTrue(printed.matches(regex), () -> command + " printed:\n" + printed);
        }
        return steps.size();
    }

    /** What a command of the shell prints, on both streams. */
    private String printed(String command) throws Exception {
        Process process = new ProcessBuilder("bash", "-c", command)
                .directory(temp.toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return printed;
    }
}
