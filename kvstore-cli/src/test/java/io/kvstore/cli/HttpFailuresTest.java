package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.http.HttpApiClient;
import io.kvstore.client.ClientCondition;
import io.kvstore.client.ClientOptions;
import io.kvstore.client.ClientTable;
import io.kvstore.client.KVClient;
import io.kvstore.client.error.ConnectionFailedException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import io.kvstore.client.error.OutcomeUnknownException;
import io.kvstore.client.error.TooLargeException;
import io.kvstore.client.error.UnavailableException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the client over HTTP repeats and reports when the server or the connection fails, against a stub. */
final class HttpFailuresTest {

    private static final byte[] KEY = "k".getBytes(UTF_8);

    private StubServer server;
    private KVClient client;
    private ClientTable table;

    @BeforeEach
    void start() throws IOException {
        server = new StubServer();
        client = server.client(10_000);
        table = client.table("d", "t");
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    @Test
    void a_write_that_was_sent_is_not_repeated() {
        server.add(StubServer::hangUp);
        OutcomeUnknownException failure =
                assertThrows(OutcomeUnknownException.class, () -> table.put(KEY, new byte[0]));
        assertEquals(Outcome.UNKNOWN, failure.outcome());
        assertFalse(failure.isRetryable());
        server.add(StubServer.answer(502, "<html>no</html>"));
        assertThrows(OutcomeUnknownException.class, () -> table.remove(KEY));
        assertEquals(List.of("PUT", "DELETE"), server.calls());
    }

    @Test
    void a_write_that_was_refused_and_may_be_repeated_is() {
        server.add(StubServer.problem(503, "overloaded", "rejected"));
        server.add(StubServer.problem(503, "overloaded", "rejected"));
        table.put(KEY, new byte[0]);
        assertEquals(3, server.calls().size());
        server.add(StubServer.problem(503, "overloaded", "failed"));
        assertThrows(UnavailableException.class, () -> table.put(KEY, new byte[0]));
        assertEquals(4, server.calls().size());
    }

    private CommandRun run(String... arguments) {
        return CommandRun.in(Map.of("KVSTORE_URL", server.url()), Streams.of(new byte[0]), arguments);
    }

    @Test
    void an_interrupt_ends_the_wait_for_a_count() {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        Console console = new Console(
                InputStream.nullInputStream(), OutputStream.nullOutputStream(), errors, CommandRun.NONE, () -> 0);
        server.add(exchange -> {
            console.interruption().ask();
            server.hang(exchange);
        });
        int status = Commands.run(console, Map.of("KVSTORE_URL", server.url()), "count", "-t", "d/t");
        assertEquals("kvstore: interrupted\n", errors.toString(UTF_8));
        assertEquals(ExitStatus.INTERRUPTED, status);
    }

    @Test
    void a_compaction_that_was_cancelled_is_told() {
        for (String state : List.of("running", "cancelled")) {
            server.add(StubServer.answer(200, "{\"id\":7,\"kind\":\"optimize\",\"state\":\"" + state + "\"}"));
        }
        assertEquals(
                "operation 7 of the server, which was to compact d/t, was cancelled by somebody else, or because the server"
                        + " stops; try again",
                run("table", "compact", "d/t").failed(ExitStatus.ERROR));
    }

    @Test
    void what_is_dropped_while_all_is_listed_is_left_out() {
        StubServer.Step gone = StubServer.problem(404, "database_not_found", "rejected");
        server.add(StubServer.answer(200, "{\"databases\":[\"a\",\"b\"]}"));
        server.add(gone);
        server.add(StubServer.answer(200, "{\"tables\":[\"t\"]}"));
        assertEquals("b/t\n", run("table", "list").good());
        server.add(gone);
        run("table", "list", "a").failed(ExitStatus.NOT_FOUND);
        server.add(StubServer.answer(200, "{\"tables\":[\"t\",\"u\"]}"));
        server.add(StubServer.problem(404, "table_not_found", "rejected"));
        server.add(StubServer.answer(200, "{\"engine\":{\"entries\":3,\"disk_bytes\":5}}"));
        assertEquals(
                "{\"database\":\"a\",\"tables\":1,\"entries\":3,\"disk_bytes\":5}\n",
                run("db", "info", "a", "--output=json").good());
    }

    @Test
    void a_read_is_repeated_twice_at_most() {
        for (int i = 0; i < 4; i++) {
            server.add(StubServer.problem(503, "stopping", "rejected"));
        }
        assertThrows(UnavailableException.class, () -> table.get(KEY));
        assertEquals(3, server.calls().size());
        assertThrows(ConnectionFailedException.class, () -> {
            for (int i = 0; i < 20; i++) {
                server.add(StubServer::hangUp);
            }
            table.get(KEY);
        });
        assertTrue(server.calls().size() <= 9, server.calls()::toString);
    }

    @Test
    void a_call_ends_in_its_time() {
        server.add(server::hang);
        try (KVClient hasty = server.client(200)) {
            KVClientException failure = assertThrows(ConnectionFailedException.class, hasty::databases);
            assertEquals(ErrorCode.TIMED_OUT, failure.code());
        }
        assertEquals(1, server.calls().size());
    }

    @Test
    void a_problem_becomes_the_exception_of_its_code() {
        server.add(StubServer.problem(413, "too_large", "rejected"));
        TooLargeException failure = assertThrows(TooLargeException.class, () -> table.put(KEY, new byte[0]));
        assertEquals("told", failure.getMessage());
        assertEquals("7", failure.details().get("limit"));
        assertNull(failure.errorId());
        server.add(StubServer.problem(500, "corruption", "failed"));
        KVClientException corrupt = assertThrows(KVClientException.class, () -> table.get(KEY));
        assertEquals(ErrorCode.CORRUPTION, corrupt.code());
        assertEquals("r1", corrupt.errorId());
        server.add(StubServer.problem(500, "a_code_of_a_later_server", "unknown"));
        assertEquals(
                ErrorCode.INTERNAL_ERROR,
                assertThrows(KVClientException.class, () -> table.get(KEY)).code());
        server.add(StubServer.problem(404, "key_not_found", "rejected"));
        assertNull(table.get(KEY));
    }

    @Test
    void what_is_no_answer_of_kvstore_is_told() {
        for (String body : List.of("<html>hello</html>", "[]", "{}", "")) {
            server.add(StubServer.answer(200, body));
            KVClientException failure = assertThrows(KVClientException.class, client::databases);
            assertEquals(ErrorCode.INTERNAL_ERROR, failure.code());
            assertTrue(String.valueOf(failure.getMessage()).contains("its HTTP API"), failure::toString);
        }
        server.add(StubServer.answer(404, "<html>none</html>"));
        assertThrows(KVClientException.class, () -> table.get(KEY));
    }

    /** What a proxy that leads to another place, or any other server of the web, answers. */
    @Test
    void what_another_server_answers_is_no_success() {
        for (int status : new int[] {301, 302, 304, 307, 308}) {
            server.add(StubServer.answer(status, ""));
            assertThrows(KVClientException.class, () -> table.get(KEY));
            server.add(StubServer.answer(status, ""));
            assertThrows(KVClientException.class, () -> table.put(KEY, new byte[0]));
        }
        StubServer.Step page = exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, 5);
                exchange.getResponseBody().write("hello".getBytes(UTF_8));
            }
        };
        for (Executable call : List.<Executable>of(
                () -> table.get(KEY),
                () -> table.contains(KEY),
                () -> table.put(KEY, new byte[0]),
                () -> table.remove(KEY),
                () -> table.putIf(KEY, new byte[0], ClientCondition.absent()),
                () -> table.truncate(),
                () -> client.createDatabase("d"),
                () -> client.dropDatabase("d"),
                () -> client.dropTable("d", "t"),
                () -> client.deleteBackup(1))) {
            server.add(page);
            assertThrows(KVClientException.class, call);
        }
    }

    @Test
    void an_answer_has_a_limit() {
        StubServer.Step endless = exchange -> {
            exchange.sendResponseHeaders(200, (64L << 20) + 1);
            exchange.getResponseBody().write(0);
            exchange.getResponseBody().flush();
            StubServer.hangUp(exchange);
        };
        server.add(endless);
        TooLargeException failure = assertThrows(TooLargeException.class, () -> table.get(KEY));
        assertEquals(ErrorCode.ANSWER_TOO_LARGE, failure.code());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a_b", "[", "::1::"})
    void a_host_that_no_request_takes_is_told(String host) {
        try (KVClient nowhere = HttpApiClient.of(ClientOptions.of(host, 1))) {
            KVClientException failure = assertThrows(KVClientException.class, nowhere::ping);
            assertEquals(ErrorCode.INVALID_REQUEST, failure.code());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "a\u007f", "\u4e2d", "a\0"})
    void a_token_that_no_request_takes_is_not_told(String token) {
        ClientOptions options = ClientOptions.of("127.0.0.1", 1).withToken("secret" + token);
        try (KVClient nobody = HttpApiClient.of(options)) {
            KVClientException failure = assertThrows(KVClientException.class, nobody::ping);
            assertEquals(ErrorCode.INVALID_REQUEST, failure.code());
            assertFalse(failure.toString().contains("secret"), failure::toString);
        }
    }
}
