package io.kvstore.server.http;

import static io.kvstore.server.http.TestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.server.http.message.Limits;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many clients, slow clients, and a stop among them. */
final class LoadTest {

    private static final int LONGEST_SECONDS = 120;

    @TempDir
    private Path directory;

    @Test
    void more_clients_than_workers_are_all_served() throws Exception {
        try (TestServer server = new TestServer(directory, TestServer.config().withLoad(4, 200, 64 << 20));
                ExecutorService clients = Executors.newFixedThreadPool(64)) {
            List<Future<Integer>> done = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                String path = TABLE + "/keys/" + i;
                Callable<Integer> client = () -> {
                    for (int n = 0; n < 20; n++) {
                        server.put(path, "v" + n).expect(204);
                        assertEquals("v" + n, server.get(path).expect(200).text());
                    }
                    return 1;
                };
                done.add(clients.submit(client));
            }
            for (Future<Integer> one : done) {
                one.get();
            }
            assertEquals("64", server.get(TABLE + "/count").json().get("count").toString());
        }
    }

    @Test
    void slow_bodies_hold_no_worker() throws Exception {
        try (TestServer server = new TestServer(directory, TestServer.config().withLoad(1, 1, 64 << 20))) {
            List<Socket> slow = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                slow.add(begin(
                        server,
                        "PUT " + TABLE + "/keys/slow" + i + " HTTP/1.1\r\nHost: localhost\r\n"
                                + "Content-Length: 2\r\n\r\na"));
            }
            server.put(TABLE + "/keys/quick", "v").expect(204);
            for (Socket socket : slow) {
                socket.getOutputStream().write('b');
            }
            for (Socket socket : slow) {
                try (socket) {
                    String status = firstLine(socket);
                    assertTrue(status.startsWith("HTTP/1.1 204") || status.startsWith("HTTP/1.1 503"), status);
                }
            }
        }
    }

    @Test
    void bodies_together_are_bounded() throws Exception {
        try (TestServer server = new TestServer(directory, TestServer.config().withLoad(2, 10, 1_000))) {
            server.send("PUT", TABLE + "/keys/k", new byte[1_000]).expect(204);
            TestServer.Answer answer = server.send("PUT", TABLE + "/keys/k", new byte[1_001]);
            answer.expectProblem(413, "too_large");
            assertEquals("", answer.header("Retry-After"));
            server.awaitUsedBytes(0);
            try (Socket slow = begin(
                    server,
                    "PUT " + TABLE + "/keys/slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400\r\n\r\n"
                            + "a".repeat(399))) {
                server.awaitUsedBytes(399);
                server.send("PUT", TABLE + "/keys/k", new byte[601]).expect(204);
                server.awaitUsedBytes(399);
                TestServer.Answer busy = server.send("PUT", TABLE + "/keys/k", new byte[602]);
                busy.expectProblem(503, "overloaded");
                assertEquals("1", busy.header("Retry-After"));
                slow.getOutputStream().write('a');
                assertEquals("HTTP/1.1 204 No Content", firstLine(slow));
            }
            server.awaitUsedBytes(0);
            server.send("PUT", TABLE + "/keys/k", new byte[1_000]).expect(204);
        }
    }

    @Test
    void answers_together_are_bounded() throws Exception {
        try (TestServer server = new TestServer(directory, TestServer.config().withLoad(2, 10, 20_000))) {
            for (int i = 0; i < 20; i++) {
                server.send("PUT", TABLE + "/keys/k" + i, new byte[1_000]).expect(204);
            }
            TestServer.Answer answer = server.get(TABLE + "/entries");
            String detail =
                    answer.expectProblem(413, "answer_too_large").get("detail").stringValue();
            assertTrue(detail.contains("the page up to the key \"k"), detail);
            assertEquals("", answer.header("Retry-After"));
            server.awaitUsedBytes(0);
            server.get(TABLE + "/entries?limit=5").expect(200);
            server.store().put("d", "t", "k".getBytes(StandardCharsets.US_ASCII), new byte[20_001]);
            server.awaitUsedBytes(0);
            server.get(TABLE + "/keys/k").expectProblem(413, "answer_too_large");
            server.awaitUsedBytes(0);
            server.post(TABLE + "/get", "{\"keys\":[\"k\"]}").expectProblem(413, "answer_too_large");
            server.awaitUsedBytes(0);
            server.get(TABLE + "/entries?limit=1").expectProblem(413, "answer_too_large");
        }
    }

    /** Reading a long line takes four times its bytes. */
    @Test
    void a_line_that_can_never_be_read_is_named() throws Exception {
        try (TestServer server = new TestServer(directory, TestServer.config().withLoad(2, 10, 1 << 20))) {
            String lines =
                    "{\"key\":\"a\",\"value\":\"1\"}\n{\"key\":\"b\",\"value\":\"" + "v".repeat(400_000) + "\"}\n";
            String detail = server.post(TABLE + "/import", lines)
                    .expectProblem(400, "invalid_line")
                    .get("detail")
                    .stringValue();
            assertTrue(detail.startsWith("line 2: it takes ") && detail.contains("-Xmx"), detail);
            server.get(TABLE + "/keys/a").expect(200);
        }
    }

    /** Those beyond wait in the queue of the system until others have ended. Each thread for I/O has its share of them. */
    @Test
    void connections_are_bounded() throws Exception {
        List<Socket> open = new ArrayList<>();
        try (TestServer server = new TestServer(directory)) {
            boolean isAnswered = true;
            while (isAnswered && open.size() <= Limits.CONNECTIONS) {
                Socket socket = begin(server, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
                open.add(socket);
                isAnswered = isAnsweredWithin(socket, 2_000);
            }
            assertFalse(isAnswered, open.size() + " connections are served at a time");
            Socket beyond = open.removeLast();
            for (Socket socket : open) {
                socket.close();
            }
            assertTrue(isAnsweredWithin(beyond, LONGEST_SECONDS * 1_000), "who waited is never served");
            beyond.close();
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    private static boolean isAnsweredWithin(Socket socket, int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            return firstLine(socket).equals("HTTP/1.1 200 OK");
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    @Test
    void requests_beyond_the_queue_and_long_jobs_beyond_their_share_are_refused() throws Exception {
        try (TestServer server = new TestServer(directory, TestServer.config().withLoad(2, 1, 64 << 20))) {
            String head = "POST " + TABLE + "/import HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
                    + "Expect: 100-continue\r\n\r\n";
            try (Socket first = begin(server, head)) {
                // Said by the worker that reads the body, so the import is running: one of two workers, the only long
                // job.
                assertEquals("HTTP/1.1 100 Continue", firstLine(first));
                server.get(TABLE + "/count").expectProblem(503, "overloaded");
                assertEquals("{\"status\":\"ready\"}", server.get("/readyz").text());
                server.get(TABLE + "/keys/k").expectProblem(404, "key_not_found");
                assertFalse(first.isClosed());
            }
            awaitRoom(server);
        }
    }

    private static void awaitRoom(TestServer server) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
        TestServer.Answer answer = server.get(TABLE + "/count");
        while (answer.response().statusCode() == 503 && System.nanoTime() - end < 0) {
            answer = server.get(TABLE + "/count");
        }
        answer.expect(200);
    }

    @Test
    void a_stop_ends_a_stream_with_a_line_that_says_so() throws Exception {
        try (TestServer server = new TestServer(directory)) {
            byte[] value = "v".repeat(20_000).getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 1_500; i++) { // more than the system keeps of an answer that nobody reads
                server.store().put("d", "t", Integer.toString(i).getBytes(StandardCharsets.US_ASCII), value);
            }
            try (Socket slow = begin(
                    server,
                    "GET " + TABLE + "/entries HTTP/1.1\r\nHost: localhost\r\n"
                            + "Accept: application/x-ndjson\r\n\r\n")) {
                assertEquals("HTTP/1.1 200 OK", firstLine(slow));
                server.server().drain(50);
                InputStreamReader in = new InputStreamReader(slow.getInputStream(), StandardCharsets.US_ASCII);
                BufferedReader reader = new BufferedReader(in);
                String last = "";
                for (String line = reader.readLine(); !line.equals("0"); line = reader.readLine()) {
                    last = line.startsWith("{\"end\"") ? line : last;
                }
                assertTrue(last.startsWith("{\"end\":false,\"count\":"), last);
                assertTrue(last.contains("\"code\":\"stopping\""), last);
                assertTrue(server.server().drain(LONGEST_SECONDS * 1_000L));
            }
        }
    }

    private static Socket begin(TestServer server, String bytes) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        return socket;
    }

    private static String firstLine(Socket socket) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = socket.getInputStream().read();
                b >= 0 && b != '\r';
                b = socket.getInputStream().read()) {
            line.append((char) b);
        }
        return line.toString();
    }
}
