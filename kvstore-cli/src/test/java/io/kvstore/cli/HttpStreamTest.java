package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.http.EntryStream;
import io.kvstore.cli.http.HttpApiClient;
import io.kvstore.cli.http.StreamEncoding;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of entries over HTTP that end well, badly, or never, against a stub. */
@Timeout(60)
final class HttpStreamTest {

    private static final String ENTRY = "{\"key\":\"k\",\"value\":\"v\"}\n";

    private StubServer server;
    private HttpApiClient client;

    @BeforeEach
    void start() throws IOException {
        server = new StubServer();
        client = server.client(30_000);
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private EntryStream open(HttpApiClient asked, Runnable whileWaiting) {
        return asked.entries("d", "t", ScanOptions.all(), StreamEncoding.TEXT, whileWaiting);
    }

    private KVClientException failure() {
        return assertThrows(KVClientException.class, () -> {
            try (EntryStream stream = open(client, () -> {})) {
                stream.readAllBytes();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8_191, 8_192, 8_193, 1 << 20})
    void a_whole_stream_is_read_byte_by_byte_and_in_pieces(int piece) throws IOException {
        int count = piece == 1 ? 100 : 20_000;
        String text = ENTRY.repeat(count) + "{\"end\":true,\"count\":" + count + "}\n";
        server.add(StubServer.stream(text));
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        byte[] bytes = new byte[piece];
        try (EntryStream stream = open(client, () -> {})) {
            for (int size = stream.read(bytes); size >= 0; size = stream.read(bytes)) {
                read.write(bytes, 0, size);
            }
            assertEquals(count + 1, stream.lines());
            assertEquals(-1, stream.read());
        }
        assertArrayEquals(text.getBytes(UTF_8), read.toByteArray());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | STOPPING | after 0 lines",
                "{\"end\":true,\"count\":0} | STOPPING | after 0 lines",
                "{\"key\":\"k\",\"value\":\"v\"}; | STOPPING | after 1 lines",
                "{\"key\":\"k\",\"value\":\"v\"};{\"key\" | STOPPING | after 1 lines",
                "{\"key\":\"k\",\"value\":\"v\"};{\"end\":true,\"count\":2}; | INTERNAL_ERROR | has 2 entries, and 1 came",
                "{\"key\":\"k\",\"value\":\"v\"};{\"end\":false,\"count\":1}; | INTERNAL_ERROR | not complete, after 1 entries",
                "{\"key\":\"k\",\"value\":\"v\"};{\"end\":true}; | INTERNAL_ERROR | has -1 entries, and 1 came",
                "{\"end\":false,\"count\":0,\"error\":{\"code\":\"corruption\",\"detail\":\"a bit\"}}; | CORRUPTION | a bit",
            })
    void a_stream_without_its_end_fails(String lines, ErrorCode code, String message) {
        server.add(StubServer.stream(lines.replace(';', '\n')));
        KVClientException failure = failure();
        assertEquals(code, failure.code());
        assertTrue(String.valueOf(failure.getMessage()).contains(message), failure::toString);
    }

    @Test
    void a_connection_that_breaks_fails() {
        server.add(exchange -> {
            StubServer.begin(exchange).write(ENTRY.getBytes(UTF_8));
            exchange.getResponseBody().flush();
            exchange.close();
        });
        assertEquals(ErrorCode.STOPPING, failure().code());
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/html", "application/json"})
    void another_server_is_told(String type) {
        server.add(exchange -> {
            try (exchange) {
                exchange.getResponseHeaders().set("Content-Type", type);
                exchange.sendResponseHeaders(200, 5);
                exchange.getResponseBody().write("hello".getBytes(UTF_8));
            }
        });
        assertEquals(ErrorCode.INTERNAL_ERROR, failure().code());
    }

    @Test
    void a_refusal_is_repeated_before_the_stream_has_begun() throws IOException {
        server.add(StubServer.problem(503, "overloaded", "rejected"));
        server.add(StubServer.problem(503, "overloaded", "rejected"));
        server.add(StubServer.stream("{\"end\":true,\"count\":0}\n"));
        try (EntryStream stream = open(client, () -> {})) {
            assertEquals(23, stream.readAllBytes().length);
        }
        assertEquals(3, server.calls().size());
    }

    @Test
    void a_server_that_sends_nothing_more_is_not_waited_for() throws IOException {
        server.add(exchange -> server.hangAfter(ENTRY, exchange));
        try (HttpApiClient hasty = server.client(3_000);
                EntryStream stream = open(hasty, () -> {})) {
            assertEquals('{', stream.read());
            KVClientException failure = assertThrows(KVClientException.class, stream::readAllBytes);
            assertEquals(ErrorCode.TIMED_OUT, failure.code());
            assertTrue(String.valueOf(failure.getMessage()).contains("nothing more came"), failure::toString);
        }
    }

    @Test
    void a_wait_ends_when_it_is_told_to() throws IOException {
        server.add(exchange -> server.hangAfter(ENTRY, exchange));
        IllegalStateException asked = new IllegalStateException("asked");
        try (EntryStream stream = open(client, () -> {
            throw asked;
        })) {
            assertEquals(asked, assertThrows(IllegalStateException.class, stream::readAllBytes));
        }
    }

    @Test
    void a_wait_for_the_begin_ends_when_it_is_told_to() {
        server.add(server::hang);
        IllegalStateException asked = new IllegalStateException("asked");
        Runnable asking = () -> {
            throw asked;
        };
        assertEquals(asked, assertThrows(IllegalStateException.class, () -> open(client, asking)));
    }

    @Test
    void an_interrupted_reader_is_told_so() throws IOException {
        server.add(exchange -> server.hangAfter(ENTRY, exchange));
        try (EntryStream stream = open(client, () -> {})) {
            assertEquals('{', stream.read());
            Thread.currentThread().interrupt();
            KVClientException failure = assertThrows(KVClientException.class, () -> stream.readNBytes(1_000));
            assertTrue(Thread.interrupted());
            assertEquals(ErrorCode.INTERRUPTED, failure.code());
        }
    }

    /** A table, and its statistics, as a server describes them before its entries. */
    private void describe() {
        for (String document : List.of(
                "{\"database\":\"d\",\"name\":\"t\",\"id\":1,\"engine\":\"bplus\",\"ordered\":true,\"options\":{}}",
                "{}")) {
            server.add(StubServer.answer(200, document));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"key\":\"k\",\"value\":\"v\"}; | 5 | ended in the middle, after 1 lines; try again",
                "{\"key\":\"k\",\"value\":\"v\"};{\"end\":true,\"count\":2}; | 1 | has 2 entries, and 1 came",
                "{\"end\":false,\"error\":{\"code\":\"corruption\",\"detail\":\"a bit\"}}; | 1 | a bit",
                "{\"end\":false,\"error\":{\"code\":\"stopping\",\"detail\":\"it stops\"}}; | 5 | it stops",
            })
    void an_export_that_fails_leaves_the_file_as_it_was(
            String lines, int status, String message, @TempDir Path directory) throws IOException {
        Path file = directory.resolve("old");
        Files.writeString(file, "old");
        for (String options : List.of("", "--format csv --encoding hex", "--encoding utf8", "--encoding hex")) {
            describe();
            server.add(StubServer.stream(lines.replace(';', '\n')));
            List<String> words =
                    new ArrayList<>(List.of("export", "-t", "d/t", "--url", server.url(), "-o", file.toString()));
            words.addAll(options.isEmpty() ? List.of() : List.of(options.split(" ", -1)));
            String line = CommandRun.of(words.toArray(String[]::new)).failed(status);
            assertTrue(line.contains(message), line);
            assertEquals("old", Files.readString(file));
            try (Stream<Path> files = Files.list(directory)) {
                assertEquals(1, files.count());
            }
        }
    }

    @Test
    void a_reader_that_stops_ends_the_connection() throws Exception {
        CountDownLatch broken = new CountDownLatch(1);
        server.add(exchange -> {
            try (OutputStream body = StubServer.begin(exchange)) {
                byte[] lines = ENTRY.repeat(10_000).getBytes(UTF_8);
                while (true) {
                    body.write(lines);
                }
            } catch (IOException e) {
                broken.countDown();
            }
        });
        try (EntryStream stream = open(client, () -> {})) {
            assertEquals('{', stream.read());
        }
        broken.await();
    }
}
