package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.server.KVStoreServer;
import java.io.File;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs what the guide of table files says about HTTP, with curl and the command line. Only the ports and the place of
 * the data are changed, and the launcher is replaced by the JVM that it starts.
 */
final class TableFilesGuideTest {

    private static final Path GUIDE = Path.of(System.getProperty("basedir", "."), "..", "docs", "table-files.md")
            .toAbsolutePath()
            .normalize();
    private static final String MARK = "=====";

    @TempDir
    private Path temp;

    @Test
    void every_command_of_the_guide_works() throws Exception {
        Matcher block = Pattern.compile("^```bash\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(GUIDE));
        assertTrue(block.find());
        List<String> commands = block.group(1).lines().toList();
        String java =
                "'" + System.getProperty("java.home") + "/bin/java' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '"
                        + System.getProperty("java.class.path") + "' ";
        int port = freePort();
        String server = java + KVStoreServer.class.getName() + " --http-port " + port + " --thrift-port " + freePort()
                + " --data '" + temp.resolve("data") + "'";
        StringBuilder script = new StringBuilder("set -eu -o pipefail\ntrap 'kill -9 $!' EXIT\n");
        for (String command : commands) {
            script.append("echo; echo '").append(MARK).append("'\n");
            script.append(command.replace("./kvstore server", server)
                            .replace("./kvstore ", java + KVStoreCli.class.getName() + " ")
                            .replace("localhost:8080", "localhost:" + port))
                    .append('\n');
        }
        String text = run(script.toString());
        assertFalse(text.contains("urn:kvstore:problem"), text);
        String[] outputs = text.split("\n" + MARK + "\n", -1);
        assertEquals(commands.size() + 1, outputs.length, text);
        assertTrue(outputs[7].contains("\"entries\":2"), text);
        assertEquals("red", outputs[8].strip());
        assertTrue(outputs[9].contains("banana"), text);
        assertEquals("green", outputs[12].strip());
        assertTrue(outputs[14].contains("{\"key\":\"banana\",\"value\":\"yellow\"}"), text);
        assertEquals("yellow", outputs[16].strip());
    }

    private String run(String script) throws Exception {
        Path output = temp.resolve("output");
        Path errors = temp.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", script)
                .directory(temp.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        String path = builder.environment().getOrDefault("PATH", "");
        builder.environment().put("PATH", path + File.pathSeparator + Path.of(System.getProperty("java.home"), "bin"));
        int status = builder.start().waitFor();
        String text = Files.readString(output);
        String complaints = Files.readString(errors);
        assertEquals(0, status, () -> text + complaints);
        return text;
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
