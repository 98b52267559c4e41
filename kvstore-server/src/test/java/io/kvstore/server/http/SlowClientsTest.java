package io.kvstore.server.http;

import static io.kvstore.server.http.TestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that send or take a little now and then. They may be 200 ms behind, which their bytes do not make less. */
final class SlowClientsTest {

    private static final int MOST_STEPS = 3_000;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final String HOST = "Host: localhost\r\n";

    @TempDir
    private Path temp;

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TestServer(
                temp.resolve("store"),
                TestServer.config().withLoad(2, 8, 64 << 20).withPace(200, 1_000_000_000));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Socket begin(String head) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(60_000);
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    /** Sends a byte at a time until the server closes the connection, and returns what it has answered. */
    private static String trickle(Socket socket) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        InputStream in = socket.getInputStream();
        try {
            for (int i = 0; i < MOST_STEPS; i++) {
                answer.write(in.readNBytes(in.available()));
                socket.getOutputStream().write(' ');
                LockSupport.parkNanos(STEP_NANOS);
            }
        } catch (SocketException e) {
            return answer.toString(StandardCharsets.US_ASCII);
        }
        throw new AssertionError("the connection is open still, after " + answer);
    }

    /** Waits until no long job runs. There may be one at a time. */
    private void awaitRoom() throws Exception {
        TestServer.Answer answer = server.get(TABLE + "/count");
        for (int i = 0; i < MOST_STEPS && answer.response().statusCode() == 503; i++) {
            LockSupport.parkNanos(STEP_NANOS);
            answer = server.get(TABLE + "/count");
        }
        answer.expect(200);
    }

    private void assertCounted() throws Exception {
        String metrics = server.get("/metrics").expect(200).text();
        assertTrue(metrics.contains("\nkvstore_http_slow_clients_total 1\n"), metrics);
    }

    @Test
    void an_import_ends_with_what_it_has_stored() throws Exception {
        String head = "POST " + TABLE + "/import HTTP/1.1\r\n" + HOST + "Content-Length: 1000000\r\n\r\n";
        try (Socket socket = begin(head + "{\"key\":\"a\",\"value\":\"1\"}\n")) {
            String answer = trickle(socket);
            assertTrue(answer.startsWith("HTTP/1.1 408 "), answer);
            assertTrue(answer.contains("\"code\":\"request_timeout\"") && answer.contains("\"stored\":1"), answer);
            assertTrue(answer.contains("too slowly"), answer);
        }
        server.get(TABLE + "/keys/a").expect(200);
        awaitRoom();
        assertCounted();
    }

    @Test
    void a_file_ends_and_the_table_keeps_what_it_has() throws Exception {
        String path = "/v1/databases/d/tables/s";
        server.put(path, "{\"engine\":\"sealed\"}").expect(201);
        try (Socket socket = begin(
                "PUT " + path + "/file HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n" + "100000\r\n")) {
            String answer = trickle(socket);
            assertTrue(answer.startsWith("HTTP/1.1 408 "), answer);
            assertTrue(answer.contains("the table keeps what it has"), answer);
        }
        awaitRoom();
        server.get(path + "/file").expect(404);
        assertCounted();
    }

    @Test
    void the_rest_of_a_refused_body_has_an_end() throws Exception {
        String head = "POST /v1/databases/d/tables/none/import HTTP/1.1\r\n" + HOST + "Content-Length: 1000000\r\n\r\n";
        for (int i = 0; i < 3; i++) { // more than there are workers
            try (Socket socket = begin(head)) {
                String answer = trickle(socket);
                assertTrue(answer.startsWith("HTTP/1.1 404 "), answer);
            }
        }
        try (Socket socket = begin("GET /v1 HTTP/1.1\r\n" + HOST + "\r\n")) {
            assertEquals('H', socket.getInputStream().read()); // the requests do not count as worked on any more
        }
    }

    @Test
    void the_rest_behind_a_bad_line_has_an_end() throws Exception {
        String head = "POST " + TABLE + "/import HTTP/1.1\r\n" + HOST + "Content-Length: 1000000\r\n\r\n";
        try (Socket socket = begin(head + "no JSON\n")) {
            assertEquals("", trickle(socket));
        }
        awaitRoom();
    }

    /** More than the system keeps of an answer. */
    private void fill() {
        byte[] value = "v".repeat(20_000).getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 1_500; i++) {
            server.store().put("d", "t", Integer.toString(i).getBytes(StandardCharsets.US_ASCII), value);
        }
    }

    @Test
    void an_export_of_which_nothing_is_taken_ends() throws Exception {
        fill();
        try (Socket socket =
                begin("GET " + TABLE + "/entries HTTP/1.1\r\n" + HOST + "Accept: application/x-ndjson\r\n\r\n")) {
            assertEquals('H', socket.getInputStream().read());
            awaitRoom();
            assertCounted();
        }
    }

    @Test
    void an_export_ends_without_its_last_line() throws Exception {
        fill();
        String head = "GET " + TABLE + "/entries HTTP/1.1\r\n" + HOST + "Accept: application/x-ndjson\r\n\r\n";
        StringBuilder end = new StringBuilder();
        try (Socket socket = begin(head)) {
            byte[] some = new byte[16 << 10];
            int count = socket.getInputStream().read(some);
            for (int i = 0; i < MOST_STEPS && count >= 0; i++) {
                end.append(new String(some, 0, count, StandardCharsets.US_ASCII));
                LockSupport.parkNanos(STEP_NANOS / 4);
                count = socket.getInputStream().read(some);
            }
            assertTrue(count < 0, "all of it has come");
        } catch (SocketException e) {
            end.append("(reset)");
        }
        assertTrue(end.indexOf("HTTP/1.1 200 ") == 0, "no answer");
        assertFalse(end.indexOf("\"end\":") >= 0, "it is complete");
        awaitRoom();
        assertCounted();
    }
}
