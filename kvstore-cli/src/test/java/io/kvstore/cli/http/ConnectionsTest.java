package io.kvstore.cli.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.http.RawServer.Peer;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections are used again, have a limit, and end with a call that ends early. */
@Timeout(60)
final class ConnectionsTest {

    private static final Call READ = Call.read("/v1/x");
    private static final Call WRITE = Call.write("PUT", "/v1/x", new byte[0]);
    private static final int LONG = 50_000;
    private static final int HASTY = 300;

    private final RawServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    ConnectionsTest() throws IOException {
        server = new RawServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        threads.shutdownNow();
        threads.close();
    }

    private Exchange client(int timeoutMillis, int connections) {
        return new Exchange(server.options(timeoutMillis), connections);
    }

    private static KVClientException failure(Future<?> call) {
        ExecutionException failure = assertThrows(ExecutionException.class, call::get);
        return assertThrows(KVClientException.class, () -> {
            throw failure.getCause();
        });
    }

    @Test
    void calls_one_after_the_other_have_one_connection() throws Exception {
        try (Exchange client = client(LONG, 2)) {
            Future<?> calls = threads.submit(() -> {
                for (int i = 0; i < 3; i++) {
                    client.send(WRITE);
                }
            });
            Peer peer = server.next();
            for (int i = 0; i < 3; i++) {
                assertEquals("PUT", peer.method());
                peer.answer(RawServer.DONE);
            }
            calls.get();
            assertFalse(server.hasNext());
        }
    }

    /** The pause is one that the client does not trust, and far shorter than the life of an idle connection. */
    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"})
    void a_write_does_not_meet_a_connection_that_was_ended_while_idle(String farewell) throws Exception {
        try (Exchange client = client(LONG, 2)) {
            Future<Answer> first = threads.submit(() -> client.send(WRITE));
            Peer old = server.next();
            assertEquals("PUT", old.method());
            old.answer(RawServer.DONE);
            first.get();
            if (farewell.isEmpty()) {
                old.socket().close();
            } else {
                old.answer(farewell);
            }
            assertTrue(client.pause(HASTY));
            Future<Answer> second = threads.submit(() -> client.send(WRITE));
            Peer fresh = server.next();
            assertEquals("PUT", fresh.method());
            fresh.answer(RawServer.DONE);
            assertEquals(Answer.NO_CONTENT, second.get().status());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, Exchange.MOST_CONNECTIONS})
    void a_call_beyond_the_limit_waits_for_a_connection(int limit) throws Exception {
        try (Exchange client = client(LONG, limit)) {
            InputStream[] streams = new InputStream[limit];
            Peer last = null;
            for (int i = 0; i < limit; i++) {
                Future<InputStream> opened = threads.submit(() -> client.open(READ, "text/x", () -> {}));
                last = server.next();
                assertEquals("GET", last.method());
                last.answer("HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 1\r\n\r\n");
                streams[i] = opened.get();
            }
            Future<Answer> beyond = threads.submit(() -> client.send(WRITE));
            assertTrue(client.pause(HASTY));
            assertFalse(server.hasNext());
            assertFalse(beyond.isDone());
            streams[limit - 1].close();
            Peer fresh = server.next();
            assertEquals("PUT", fresh.method());
            assertEquals("", last == null ? "none" : end(last));
            fresh.answer(RawServer.DONE);
            assertEquals(Answer.NO_CONTENT, beyond.get().status());
        }
    }

    @Test
    void a_call_for_which_no_connection_is_free_fails_in_its_time() throws Exception {
        try (Exchange client = client(1_000, 1)) {
            Future<InputStream> opened = threads.submit(() -> client.open(READ, "text/x", () -> {}));
            Peer peer = server.next();
            assertEquals("GET", peer.method());
            peer.answer("HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 1\r\n\r\n");
            try (InputStream stream = opened.get()) {
                KVClientException failure = assertThrows(KVClientException.class, () -> client.send(WRITE));
                assertEquals(ErrorCode.TIMED_OUT, failure.code());
                assertEquals(Outcome.REJECTED, failure.outcome());
                assertEquals(
                        "all 1 connections of this client were in use for 1000 ms (timeout_ms)", failure.getMessage());
                peer.answer("x");
                assertEquals('x', stream.read());
                assertEquals(-1, stream.read());
            }
        }
    }

    @Test
    void a_call_that_ends_early_ends_its_connection_and_leaves_its_place() throws Exception {
        try (Exchange client = client(LONG, 1)) {
            IllegalStateException asked = new IllegalStateException("asked");
            CountDownLatch come = new CountDownLatch(1);
            Future<InputStream> left = threads.submit(() -> client.open(READ, "text/x", () -> {
                if (come.getCount() == 0) {
                    throw asked;
                }
            }));
            Peer old = server.next();
            assertEquals("GET", old.method());
            come.countDown();
            assertEquals(
                    asked, assertThrows(ExecutionException.class, left::get).getCause());
            assertEquals("", end(old));
            Future<Answer> next = threads.submit(() -> client.send(WRITE));
            Peer fresh = server.next();
            assertEquals("PUT", fresh.method());
            fresh.answer(RawServer.DONE);
            next.get();
        }
    }

    /** The bytes that come until the connection ends, with or without a reset. */
    private static String end(Peer peer) throws IOException {
        try {
            return peer.method();
        } catch (SocketException e) {
            return "";
        }
    }

    @Test
    void a_stream_that_nobody_reads_ends_when_it_is_closed() throws Exception {
        try (Exchange client = client(LONG, 1)) {
            Future<InputStream> opened = threads.submit(() -> client.open(READ, "text/x", () -> {}));
            Peer peer = server.next();
            assertEquals("GET", peer.method());
            peer.answer("HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 1000000000\r\n\r\n");
            Future<?> sent = threads.submit(() -> {
                byte[] much = new byte[1 << 20];
                try {
                    while (true) {
                        peer.socket().getOutputStream().write(much);
                    }
                } catch (IOException e) {
                    return; // as it should
                }
            });
            InputStream stream = opened.get();
            assertEquals(0, stream.read());
            stream.close();
            sent.get();
            Future<Answer> next = threads.submit(() -> client.send(WRITE));
            Peer fresh = server.next();
            assertEquals("PUT", fresh.method());
            fresh.answer(RawServer.DONE);
            next.get();
        }
    }

    /** A write that was sent may have been applied. One that waited for a connection has not. */
    @Test
    void closing_the_client_ends_calls_that_run_and_calls_that_wait() throws Exception {
        Exchange client = client(LONG, 2);
        Future<Answer> write = threads.submit(() -> client.send(WRITE));
        assertEquals("PUT", server.next().method());
        Future<Answer> read = threads.submit(() -> client.send(READ));
        assertEquals("GET", server.next().method());
        Future<Answer> waiting = threads.submit(() -> client.send(WRITE));
        client.close();
        KVClientException unknown = failure(write);
        assertEquals(ErrorCode.OUTCOME_UNKNOWN, unknown.code());
        assertEquals(
                "the client was closed before the answer came; the write may or may not have been applied: read it back",
                unknown.getMessage());
        for (Future<Answer> call : List.of(read, waiting)) {
            KVClientException failure = failure(call);
            assertEquals("the client is closed", failure.getMessage());
            assertEquals(Outcome.REJECTED, failure.outcome());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 4\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n4\r\nabc"})
    void an_answer_that_ends_before_its_length_fails(String rest) throws Exception {
        try (Exchange client = client(LONG, 1)) {
            Future<Answer> call = threads.submit(() -> client.send(WRITE));
            Peer peer = server.next();
            assertEquals("PUT", peer.method());
            peer.answer("HTTP/1.1 200 OK\r\nETag: \"1\"\r\n" + rest);
            peer.socket().close();
            assertEquals(ErrorCode.OUTCOME_UNKNOWN, failure(call).code());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {Exchange.MOST_ANSWER_BYTES - 1, Exchange.MOST_ANSWER_BYTES, Exchange.MOST_ANSWER_BYTES + 1L})
    void an_answer_that_says_that_it_is_too_long_is_refused_at_once(long length) throws Exception {
        try (Exchange client = client(LONG, 1)) {
            Future<Answer> call = threads.submit(() -> client.send(WRITE));
            Peer peer = server.next();
            assertEquals("PUT", peer.method());
            peer.answer("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\nabc");
            if (length <= Exchange.MOST_ANSWER_BYTES) {
                peer.socket().shutdownOutput();
            }
            ErrorCode expected =
                    length <= Exchange.MOST_ANSWER_BYTES ? ErrorCode.OUTCOME_UNKNOWN : ErrorCode.ANSWER_TOO_LARGE;
            assertEquals(expected, failure(call).code());
        }
    }

    @Test
    void an_answer_that_comes_while_the_request_is_sent_is_taken() throws Exception {
        try (Exchange client = client(LONG, 1)) {
            Future<Answer> call =
                    threads.submit(() -> client.send(Call.write("PUT", "/v1/x", new byte[Exchange.MOST_ANSWER_BYTES])));
            Peer peer = server.next();
            assertEquals("PUT", peer.method());
            peer.answer("HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\nContent-Length: 73\r\n\r\n"
                    + "{\"status\":413,\"detail\":\"told\",\"code\":\"too_large\",\"outcome\":\"rejected\"   }");
            while (!call.isDone()) {
                peer.in().read(new byte[1 << 20]);
            }
            assertEquals("told", failure(call).getMessage());
        }
    }

    @Test
    void an_interrupted_thread_sends_nothing() {
        try (Exchange client = client(LONG, 1)) {
            Thread.currentThread().interrupt();
            KVClientException failure = assertThrows(KVClientException.class, () -> client.send(WRITE));
            assertTrue(Thread.interrupted());
            assertEquals(ErrorCode.INTERRUPTED, failure.code());
            assertEquals(Outcome.REJECTED, failure.outcome());
            assertFalse(server.hasNext());
        }
    }
}
