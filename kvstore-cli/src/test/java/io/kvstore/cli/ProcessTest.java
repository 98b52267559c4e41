package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.console.ExitStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands in processes of their own: signals and pipes. */
final class ProcessTest {

    private static final List<String> JAVA = List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            KVStoreCli.class.getName());

    private static final List<String> HEEDING = List.of("env", "--default-signal=INT");

    @TempDir
    private Path temp;

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestTarget target;

    @BeforeEach
    void make_a_table() {
        target = TestTarget.of(TestTarget.SERVER, temp, "bplus");
    }

    private static String rows(int count) {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < count; i++) {
            rows.append("{\"key\":\"k").append(100_000 + i).append("\",\"value\":\"v\"}\n");
        }
        return rows.toString();
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(heedsInterrupts() ? List.of() : HEEDING);
        command.addAll(JAVA);
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(target.environment());
        return builder.start();
    }

    /** A shell that runs the tests in the background lets its children ignore the signal, and so would a JVM. */
    private static boolean heedsInterrupts() throws IOException {
        Path status = Path.of("/proc/self/status");
        return !Files.exists(status)
                || Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .noneMatch(line ->
                                (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
    }

    private static void interrupt(Process process) throws Exception {
        assertEquals(
                0,
                new ProcessBuilder("kill", "-INT", "" + process.pid()).start().waitFor());
        assertTrue(process.waitFor(120, TimeUnit.SECONDS));
        assertEquals(ExitStatus.INTERRUPTED, process.exitValue());
    }

    @Test
    void ctrl_c_ends_a_command_that_waits() throws Exception {
        Process top = start("top", "--interval=0.01");
        assertTrue(top.inputReader(StandardCharsets.UTF_8).readLine().contains("writes/s"));
        interrupt(top);
    }

    @Test
    void ctrl_c_leaves_whole_batches() throws Exception {
        Process imported = start("import", "--quiet");
        OutputStream input = imported.getOutputStream();
        input.write(rows(25_000).getBytes(StandardCharsets.US_ASCII));
        input.flush();
        for (int tries = 0; !target.run("count").text().equals("20000\n"); tries++) {
            assertTrue(tries < 10_000 && imported.isAlive(), "it stores no rows");
        }
        interrupt(imported);
        assertEquals("20000\n", target.run("count").good());
    }

    /** What a script prints, in which {@code kvstore} is the command. */
    private String printed(String script, Map<String, String> variables) throws IOException {
        String command = "'" + String.join("' '", JAVA) + "'";
        ProcessBuilder builder =
                new ProcessBuilder("bash", "-c", script.replace("kvstore", command)).redirectErrorStream(true);
        builder.environment().putAll(target.environment());
        builder.environment().putAll(variables);
        Process bash = builder.start();
        return new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void a_reader_that_has_enough_ends_a_command_well() throws Exception {
        target.with(rows(20_000), "import", "--quiet").good();
        assertEquals("k100000  v\n0\n", printed("kvstore scan | head -n 1; echo ${PIPESTATUS[0]}", Map.of()));
    }

    /** A job of cron has no locale, and a container has few. */
    @Test
    void words_are_utf8_in_any_locale() throws Exception {
        for (String locale : List.of("C", "none.UTF-8", "C.UTF-8")) {
            String puts =
                    "kvstore put $'\\303\\250' 1 2>&1; kvstore put $'\\303\\251' 2; kvstore put k $'\\377'; echo $?";
            String printed = printed(puts, Map.of("LC_ALL", locale));
            assertTrue(printed.matches("(?s).*the word \"[^\"]*\" of the command line is not UTF-8; .*\n2\n"), printed);
            assertEquals(
                    "c3a8\t31\nc3a9\t32\n", target.run("scan", "--output=hex").good());
        }
    }
}
