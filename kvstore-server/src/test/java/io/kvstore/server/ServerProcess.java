package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a process of its own, as a user starts it. */
final class ServerProcess implements AutoCloseable {

    private static final Pattern READY =
            Pattern.compile("ready http=127\\.0\\.0\\.1:([0-9]+) thrift=127\\.0\\.0\\.1:([0-9]+) data=.+");

    private final Process process;
    private final Path errors;

    private ServerProcess(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
    }

    /** Starts a process with any arguments. */
    static ServerProcess of(Path errors, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "io.kvstore.server.KVStoreServer"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        return new ServerProcess(builder.start(), errors);
    }

    /** Starts a server on a free port, and waits until it is ready. */
    static Ready start(Path data, Path errors) throws IOException {
        return start(data, errors, 0);
    }

    /** Starts a server on a free port, with Thrift at a given one, and waits until it is ready. */
    static Ready start(Path data, Path errors, int thriftPort) throws IOException {
        return of(
                        errors,
                        "--data",
                        data.toString(),
                        "--http-port",
                        "0",
                        "--thrift-port",
                        "" + thriftPort,
                        "--memory",
                        "256M")
                .awaitReady();
    }

    /** A server that is ready, and its ports. */
    record Ready(ServerProcess process, int port, int thriftPort, String line) {}

    Ready awaitReady() throws IOException {
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        String line = output.readLine();
        Matcher ready = READY.matcher(String.valueOf(line));
        assertTrue(ready.matches(), () -> "it said " + line + " and " + errors());
        return new Ready(this, Integer.parseInt(ready.group(1)), Integer.parseInt(ready.group(2)), line);
    }

    /** Lets it run for a while; it must not end by itself. */
    void runFor(long millis) throws InterruptedException {
        assertTrue(!process.waitFor(millis, TimeUnit.MILLISECONDS), () -> "it ended by itself: " + errors());
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitEnd();
    }

    /** SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** Waits for the end; returns the exit status. */
    int awaitEnd() throws InterruptedException {
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), () -> "it does not end: " + errors());
        return process.exitValue();
    }

    /** Checks that it ends with a status and says one line, which it returns. */
    String expectFailure(int status) throws InterruptedException, IOException {
        assertEquals(status, awaitEnd(), this::errors);
        List<String> lines = Files.readAllLines(errors);
        assertEquals(1, lines.size(), this::errors);
        assertEquals("", new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        return lines.getFirst();
    }

    String output() throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** What it said on standard error. */
    String errors() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
