package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs what the README says. Only the port and the place of the data are changed, and the launcher is replaced by the JVM it
 * starts: it would build the project inside of the project's build ({@code LauncherTest} looks after it).
 */
final class ReadmeTest {

    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "."), "..").toAbsolutePath().normalize();
    private static final String MARK = "=====";
    private static final String JAVA_HOME = System.getProperty("java.home");

    @TempDir
    private Path temp;

    @Test
    void every_command_of_the_quick_start_works() throws Exception {
        int port = freePort();
        int thriftPort = freePort();
        String server = "'" + JAVA_HOME + "/bin/java' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '"
                + System.getProperty("java.class.path") + "' io.kvstore.server.KVStoreServer --http-port " + port
                + " --thrift-port " + thriftPort + " --data '" + temp.resolve("data") + "'";
        List<String> commands = blocks("bash").stream().flatMap(String::lines).toList();
        StringBuilder script = new StringBuilder("set -eu\ntrap 'kill -9 $!' EXIT\n");
        for (String command : commands) {
            script.append("echo '").append(MARK).append("'\n");
            script.append(command.replace("./kvstore server", server)
                            .replace("localhost:8080", "localhost:" + port)
                            .replace(
                                    "docs/examples",
                                    ROOT.resolve("docs/examples").toString()))
                    .append('\n');
        }
        Map<String, String> outputs = run(commands, List.of("bash", "-c", script.toString()));
        assertFalse(outputs.toString().contains("urn:kvstore:problem"), outputs::toString);
        assertEquals("U+2603", outputs.get(only(commands, "SNOWMAN")));
        assertEquals("my value", outputs.get(commands.getLast()));
        Matcher stored =
                Pattern.compile("\\{\"stored\":([0-9]+)}").matcher(outputs.getOrDefault(only(commands, "/import"), ""));
        assertTrue(stored.matches() && Integer.parseInt(stored.group(1)) > 30_000, outputs::toString);
        String count = "{\"count\":" + (Integer.parseInt(stored.group(1)) + 1) + "}";
        assertEquals(count, outputs.get(only(commands, "/count")));
        String prefix = outputs.getOrDefault(only(commands, "prefix="), "");
        assertTrue(prefix.startsWith("{\"entries\":[{\"key\":\"BLACK CHESS BISHOP\",\"value\":\"U+265D\"}"), prefix);
    }

    @Test
    void the_java_program_runs() throws Exception {
        Path file =
                Files.writeString(temp.resolve("Example.java"), blocks("java").getFirst());
        List<String> command = List.of(
                JAVA_HOME + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                file.toString());
        assertEquals("red\n2 fruits", run(List.of(), command).get(""));
        assertEquals("red\n2 fruits", run(List.of(), command).get(""), "the second time");
    }

    /** The code blocks of one language. */
    private static List<String> blocks(String language) throws Exception {
        Matcher block = Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(ROOT.resolve("README.md")));
        List<String> blocks = new ArrayList<>();
        while (block.find()) {
            blocks.add(block.group(1));
        }
        assertFalse(blocks.isEmpty());
        return blocks;
    }

    private static String only(List<String> commands, String part) {
        return commands.stream()
                .filter(command -> command.contains(part))
                .findFirst()
                .orElseThrow();
    }

    /** Runs a process; returns what was printed at each command, the last time it ran, and before all at "". */
    private Map<String, String> run(List<String> commands, List<String> process) throws Exception {
        Path output = temp.resolve("output");
        Path errors = temp.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder(process)
                .directory(temp.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        String path = builder.environment().getOrDefault("PATH", "");
        builder.environment().put("PATH", path + File.pathSeparator + Path.of(JAVA_HOME, "bin"));
        int status = builder.start().waitFor();
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertEquals(0, status, () -> text + errors(errors));
        String[] parts = text.split(MARK + "\n", -1);
        assertEquals(commands.size() + 1, parts.length, text);
        Map<String, String> outputs = new HashMap<>(Map.of("", parts[0].strip()));
        for (int i = 0; i < commands.size(); i++) {
            outputs.put(commands.get(i), parts[i + 1].strip());
        }
        return outputs;
    }

    private static String errors(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
