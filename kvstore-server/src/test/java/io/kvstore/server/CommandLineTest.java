package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Starts and stops as a user sees them: one line, a status, no stack trace. */
final class CommandLineTest {

    private static final long LONGEST_NANOS = 120_000_000_000L;

    @TempDir
    private Path temp;

    private ServerProcess start(String... arguments) throws Exception {
        return ServerProcess.of(temp.resolve("errors"), arguments);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--no-such-option",
                "stray",
                "--http-port x",
                "--http-port -1",
                "--http-port 65536",
                "--thrift-port 65536",
                "--http-port 9090",
                "--durability none",
                "--in-memory",
                "--in-memory-limit 64M",
                "--memory lots",
                "--memory 1K",
                "--memory 500000G",
                "--memory 17179869184G",
                "--stop-seconds -1",
                "--slow-client-seconds 0",
                "--create-token-file",
                "--host 0.0.0.0",
                "--host no.such.host.invalid"
            })
    void a_bad_option_is_named(String options) {
        String line = ServerRun.of((options + " --data " + temp.resolve("data")).split(" ", -1))
                .expectFailure(2);
        assertTrue(line.startsWith("kvstore: "), line);
        assertTrue(line.contains(options.split(" ", -1)[0]), line);
        assertTrue(Files.notExists(temp.resolve("data")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--backups FILE | 2 | --backups is FILE, which is no directory",
                "--http-port x | 2 | Invalid value for option '--http-port': 'x' is no whole number",
                "--data FILE | 1 | opening the store in FILE failed: FILE is not a directory",
                "--tls-keystore FILE --tls-password-file FILE | 1 | the key store FILE with the password in FILE"
                        + " cannot be used: it is no PKCS #12 file",
                "--tls-keystore NONE --tls-password-file FILE | 1 | the key store NONE with the password in FILE"
                        + " cannot be used: NONE is not there",
            })
    void a_file_that_is_none_of_its_kind_is_named(String options, int status, String message) throws Exception {
        Path file = Files.writeString(temp.resolve("file"), "x\n");
        String none = temp.resolve("none").toString();
        String[] words = options.strip()
                .replace("FILE", file.toString())
                .replace("NONE", none)
                .split(" ", -1);
        try (ServerProcess process = start(words)) {
            String line = process.expectFailure(status);
            String wanted = message.strip().replace("FILE", file.toString()).replace("NONE", none);
            assertTrue(line.startsWith("kvstore: " + wanted), line);
        }
    }

    @Test
    void a_token_file_that_is_not_there_is_not_made_unasked() throws Exception {
        Path tokens = temp.resolve("secrets").resolve("tokens");
        String[] options = {
            "--data",
            temp.resolve("data").toString(),
            "--http-port",
            "0",
            "--thrift-port",
            "0",
            "--token-file",
            tokens.toString()
        };
        try (ServerProcess process = start(options)) {
            String line = process.expectFailure(1);
            assertTrue(line.contains(tokens.toString()) && line.contains("--create-token-file"), line);
        }
        assertTrue(Files.notExists(tokens.getParent()) && Files.notExists(temp.resolve("data")));
    }

    @Test
    void help_names_every_option() throws Exception {
        try (ServerProcess process = start("--help")) {
            assertEquals(0, process.awaitEnd());
            String help = process.output();
            for (String option : List.of(
                    "--data",
                    "--in-memory",
                    "--in-memory-limit",
                    "--host",
                    "--http-port",
                    "--thrift-port",
                    "--durability",
                    "--memory")) {
                assertTrue(help.contains(option), help);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--http-port", "--thrift-port"})
    void a_port_in_use_is_named(String option) throws Exception {
        String other = option.equals("--http-port") ? "--thrift-port" : "--http-port";
        String data = temp.resolve("data").toString();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerProcess process = start("--data", data, option, "" + taken.getLocalPort(), other, "0")) {
            String line = process.expectFailure(1);
            assertTrue(line.contains("port " + taken.getLocalPort() + " (" + option + ")"), line);
        }
    }

    @Test
    void a_locked_directory_is_named() throws Exception {
        Path data = temp.resolve("data");
        KVStore store = new KVStore(data.toFile());
        try (ServerProcess process = start("--data", data.toString(), "--http-port", "0", "--thrift-port", "0")) {
            String line = process.expectFailure(1);
            assertTrue(line.contains("" + ProcessHandle.current().pid()), line);
        } finally {
            store.close();
        }
    }

    @Test
    void a_directory_of_something_else_is_left_alone() throws Exception {
        Path data = Files.createDirectories(temp.resolve("data"));
        Files.writeString(data.resolve("letter.txt"), "dear");
        try (ServerProcess process = start("--data", data.toString(), "--http-port", "0", "--thrift-port", "0")) {
            String line = process.expectFailure(1);
            assertTrue(line.startsWith("kvstore: "), line);
            assertEquals("dear", Files.readString(data.resolve("letter.txt")));
        }
        assertTrue(Files.notExists(data.resolve("wal")), "it began a store there");
    }

    @Test
    void a_damaged_log_is_named() throws Exception {
        Path data = temp.resolve("data");
        KVStore store = new KVStore(data.toFile());
        store.createDB("d");
        store.close();
        try (var files = Files.walk(data)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(file -> file.toString().contains("wal"))
                    .toList()) {
                Files.write(file, new byte[64], StandardOpenOption.WRITE);
            }
        }
        try (ServerProcess process = start("--data", data.toString(), "--http-port", "0", "--thrift-port", "0")) {
            String line = process.expectFailure(1);
            assertTrue(line.startsWith("kvstore: ") && line.contains("wal"), line);
        }
    }

    @Test
    void a_remote_address_needs_the_long_flag_and_is_warned_of() throws Exception {
        try (ServerProcess process = start(
                "--data",
                temp.resolve("data").toString(),
                "--http-port",
                "0",
                "--thrift-port",
                "0",
                "--host",
                "0.0.0.0",
                "--insecure-allow-remote")) {
            long end = System.nanoTime() + LONGEST_NANOS;
            while (!process.errors().contains("--insecure-allow-remote is set")) {
                assertTrue(System.nanoTime() - end < 0, process::errors);
                process.runFor(10);
            }
        }
    }

    @Test
    void sigterm_ends_with_status_0_and_a_second_one_is_not_needed() throws Exception {
        ServerProcess.Ready ready = ServerProcess.start(temp.resolve("data"), temp.resolve("errors"));
        try (ServerProcess process = ready.process();
                HttpClient client = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + ready.port() + "/livez");
            assertEquals(
                    200,
                    client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                            .statusCode());
            process.terminate();
            assertEquals(0, process.awaitEnd());
            assertEquals("", process.errors());
        }
    }

    @Test
    void a_second_sigterm_ends_it_at_once() throws Exception {
        ServerProcess.Ready ready = ServerProcess.start(temp.resolve("data"), temp.resolve("errors"));
        try (ServerProcess process = ready.process();
                Socket unfinished = new Socket(InetAddress.getLoopbackAddress(), ready.port())) {
            String head =
                    "PUT /v1/databases/d/tables/t/keys/k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf";
            unfinished.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            awaitReady(ready.port(), 200);
            process.terminate();
            awaitReady(ready.port(), 503);
            process.terminate();
            assertEquals(130, process.awaitEnd());
        }
    }

    private static void awaitReady(int port, int status) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + port + "/readyz");
            HttpRequest request = HttpRequest.newBuilder(uri).build();
            long end = System.nanoTime() + LONGEST_NANOS;
            int now = client.send(request, BodyHandlers.discarding()).statusCode();
            while (now != status && System.nanoTime() - end < 0) {
                now = client.send(request, BodyHandlers.discarding()).statusCode();
            }
            assertEquals(status, now);
        }
    }
}
