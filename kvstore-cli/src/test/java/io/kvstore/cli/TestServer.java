package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.server.KVStoreServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a process of its own, on free ports of the loopback address. */
final class TestServer implements AutoCloseable {

    private static final Pattern READY =
            Pattern.compile("ready http=127\\.0\\.0\\.1:([0-9]+) thrift=127\\.0\\.0\\.1:([0-9]+) data=.+");

    private final Process process;
    private final String thriftPort;
    private final String httpPort;

    /** One for all tests of this JVM that need no other. It is made by the first one, and ends with the JVM. */
    private static final class Shared {
        private static final TestServer INSTANCE = start("--in-memory");

        static {
            Runtime.getRuntime().addShutdownHook(new Thread(INSTANCE::close));
        }
    }

    private TestServer(Process process, String httpPort, String thriftPort) {
        this.process = process;
        this.httpPort = httpPort;
        this.thriftPort = thriftPort;
    }

    static TestServer shared() {
        return Shared.INSTANCE;
    }

    static TestServer start(String... options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                KVStoreServer.class.getName(),
                "--http-port=0",
                "--thrift-port=0",
                "--memory=128M"));
        command.addAll(List.of(options));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
            String line = output.readLine();
            Matcher ready = READY.matcher(String.valueOf(line));
            assertTrue(ready.matches(), () -> "it said " + line);
            return new TestServer(process, ready.group(1), ready.group(2));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String url() {
        return "thrift://127.0.0.1:" + thriftPort;
    }

    String httpUrl() {
        return "http://127.0.0.1:" + httpPort;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
