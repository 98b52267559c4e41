package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
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
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What the client over HTTP repeats and reports when the server or the connection fails, against a stub. */
final class HttpFailuresTest {

    private static final byte[] KEY = "k".getBytes(UTF_8);

    private final Queue<Step> steps = new ConcurrentLinkedQueue<>();
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch ended = new CountDownLatch(1);
    private HttpServer server;
    private KVClient client;
    private ClientTable table;

    /** What the stub does with a request. */
    private interface Step {
        void take(HttpExchange exchange) throws IOException;
    }

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            calls.add(exchange.getRequestMethod());
            Step step = steps.poll();
            (step == null ? answer(204, "") : step).take(exchange);
        });
        server.start();
        client = client(10_000);
        table = client.table("d", "t");
    }

    private KVClient client(int timeoutMillis) {
        int port = server.getAddress().getPort();
        return HttpApiClient.of(ClientOptions.of("127.0.0.1", port).withTimeoutMillis(timeoutMillis));
    }

    @AfterEach
    void stop() {
        ended.countDown();
        client.close();
        server.stop(0);
    }

    private static Step answer(int status, String body) {
        return exchange -> {
            try (exchange) {
                byte[] bytes = body.getBytes(UTF_8);
                if (status == 200 || status == 204) {
                    exchange.getResponseHeaders().set("ETag", "\"1\"");
                }
                exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
                if (bytes.length > 0) {
                    exchange.getResponseBody().write(bytes);
                }
            }
        };
    }

    private static Step problem(int status, String code, String outcome) {
        return answer(
                status,
                "{\"status\":%s,\"detail\":\"told\",\"code\":\"%s\",\"outcome\":\"%s\",\"request_id\":\"r1\",\"limit\":7}"
                        .formatted(Integer.toString(status), code, outcome));
    }

    /** Ends the connection without an answer. */
    private static void hangUp(HttpExchange exchange) {
        exchange.close();
    }

    @Test
    void a_write_that_was_sent_is_not_repeated() {
        steps.add(HttpFailuresTest::hangUp);
        OutcomeUnknownException failure =
                assertThrows(OutcomeUnknownException.class, () -> table.put(KEY, new byte[0]));
        assertEquals(Outcome.UNKNOWN, failure.outcome());
        assertFalse(failure.isRetryable());
        steps.add(answer(502, "<html>no</html>"));
        assertThrows(OutcomeUnknownException.class, () -> table.remove(KEY));
        assertEquals(List.of("PUT", "DELETE"), calls);
    }

    @Test
    void a_write_that_was_refused_and_may_be_repeated_is() {
        steps.add(problem(503, "overloaded", "rejected"));
        steps.add(problem(503, "overloaded", "rejected"));
        table.put(KEY, new byte[0]);
        assertEquals(3, calls.size());
        steps.add(problem(503, "overloaded", "failed"));
        assertThrows(UnavailableException.class, () -> table.put(KEY, new byte[0]));
        assertEquals(4, calls.size());
    }

    @Test
    void a_read_is_repeated_twice_at_most() {
        for (int i = 0; i < 4; i++) {
            steps.add(problem(503, "stopping", "rejected"));
        }
        assertThrows(UnavailableException.class, () -> table.get(KEY));
        assertEquals(3, calls.size());
        assertThrows(ConnectionFailedException.class, () -> {
            for (int i = 0; i < 20; i++) {
                steps.add(HttpFailuresTest::hangUp);
            }
            table.get(KEY);
        });
        assertTrue(calls.size() <= 9, calls::toString);
    }

    @Test
    void a_call_ends_in_its_time() {
        Step hang = exchange -> {
            try (exchange) {
                ended.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        steps.add(hang);
        try (KVClient hasty = client(200)) {
            KVClientException failure = assertThrows(ConnectionFailedException.class, hasty::databases);
            assertEquals(ErrorCode.TIMED_OUT, failure.code());
        }
        assertEquals(1, calls.size());
    }

    @Test
    void a_problem_becomes_the_exception_of_its_code() {
        steps.add(problem(413, "too_large", "rejected"));
        TooLargeException failure = assertThrows(TooLargeException.class, () -> table.put(KEY, new byte[0]));
        assertEquals("told", failure.getMessage());
        assertEquals("7", failure.details().get("limit"));
        assertNull(failure.errorId());
        steps.add(problem(500, "corruption", "failed"));
        KVClientException corrupt = assertThrows(KVClientException.class, () -> table.get(KEY));
        assertEquals(ErrorCode.CORRUPTION, corrupt.code());
        assertEquals("r1", corrupt.errorId());
        steps.add(problem(500, "a_code_of_a_later_server", "unknown"));
        assertEquals(
                ErrorCode.INTERNAL_ERROR,
                assertThrows(KVClientException.class, () -> table.get(KEY)).code());
        steps.add(problem(404, "key_not_found", "rejected"));
        assertNull(table.get(KEY));
    }

    @Test
    void what_is_no_answer_of_kvstore_is_told() {
        for (String body : List.of("<html>hello</html>", "[]", "{}", "")) {
            steps.add(answer(200, body));
            KVClientException failure = assertThrows(KVClientException.class, client::databases);
            assertEquals(ErrorCode.INTERNAL_ERROR, failure.code());
            assertTrue(String.valueOf(failure.getMessage()).contains("its HTTP API"), failure::toString);
        }
        steps.add(answer(404, "<html>none</html>"));
        assertThrows(KVClientException.class, () -> table.get(KEY));
    }

    /** What a proxy that leads to another place, or any other server of the web, answers. */
    @Test
    void what_another_server_answers_is_no_success() {
        for (int status : new int[] {301, 302, 304, 307, 308}) {
            steps.add(answer(status, ""));
            assertThrows(KVClientException.class, () -> table.get(KEY));
            steps.add(answer(status, ""));
            assertThrows(KVClientException.class, () -> table.put(KEY, new byte[0]));
        }
        Step page = exchange -> {
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
            steps.add(page);
            assertThrows(KVClientException.class, call);
        }
    }

    @Test
    void an_answer_has_a_limit() {
        Step endless = exchange -> {
            exchange.sendResponseHeaders(200, (64L << 20) + 1);
            exchange.getResponseBody().write(0);
            exchange.getResponseBody().flush();
            hangUp(exchange);
        };
        steps.add(endless);
        TooLargeException failure = assertThrows(TooLargeException.class, () -> table.get(KEY));
        assertEquals(ErrorCode.ANSWER_TOO_LARGE, failure.code());
    }
}
