package io.kvstore.server.http;

import static io.kvstore.server.http.TestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.server.http.message.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that are not the HTTP a client sends: they are refused, never with a 5xx, and the server lives on unchanged. */
final class MalformedRequestTest {

    private static final String HOST = "Host: localhost\r\n";
    private static final int LONGEST_MILLIS = 120_000;
    private static final String PUT = "PUT " + TABLE + "/keys/evil HTTP/1.1\r\n";

    @TempDir
    private static Path directory;

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void nothing_was_written() throws Exception {
        assertEquals("{\"count\":0}", server.get(TABLE + "/count").expect(200).text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0000\u0001\u0002\u0003\r\n\r\n",
                "hello\r\n\r\n",
                "GET\r\n\r\n",
                "GET  HTTP/1.1\r\n" + HOST + "\r\n",
                "GET v1 HTTP/1.1\r\n" + HOST + "\r\n",
                "GET * HTTP/1.1\r\n" + HOST + "\r\n",
                "GET http://localhost/v1 HTTP/1.1\r\n" + HOST + "\r\n",
                "GET /v1 HTTP/2.0\r\n" + HOST + "\r\n",
                "GET /v1 FTP/1.1\r\n" + HOST + "\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "CONNECT localhost:80 HTTP/1.1\r\n" + HOST + "\r\n",
                "GET /v1 HTTP/1.1\r\n\r\n",
                "GET /v1 HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
                "GET /v1 HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET /v1 HTTP/1.1\r\nHost: localhost.example.com\r\n\r\n",
                "GET /v1 HTTP/1.1\r\nHost: \r\n\r\n",
                "GET /v1 HTTP/1.1\r\nHost: user@localhost\r\n\r\n",
                "GET /v1 HTTP/1.1\r\n" + HOST + "No colon\r\n\r\n",
                "GET /v1 HTTP/1.1\r\n" + HOST + "Bad name: x\r\n\r\n",
                "GET /v1/data\u00e4 HTTP/1.1\r\n" + HOST + "\r\n",
                "GET " + TABLE + "/keys/%zz HTTP/1.1\r\n" + HOST + "\r\n",
                "GET " + TABLE + "/keys/%2 HTTP/1.1\r\n" + HOST + "\r\n",
                "GET " + TABLE + "/keys/% HTTP/1.1\r\n" + HOST + "\r\n",
                "GET " + TABLE + "/entries?prefix=%4 HTTP/1.1\r\n" + HOST + "\r\n",
                "GET " + TABLE + "/entries?%GG=1 HTTP/1.1\r\n" + HOST + "\r\n",
                PUT + HOST + "Content-Length: x\r\n\r\n",
                PUT + HOST + "Content-Length: -1\r\n\r\n",
                PUT + HOST + "Content-Length: +1\r\n\r\nv",
                PUT + HOST + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nvv",
                PUT + HOST + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nv",
                PUT + HOST + "Content-Length: 99999999999999999999\r\n\r\nv",
                PUT + HOST + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nv\r\n0\r\n\r\n",
                PUT + HOST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n1\r\nv\r\n0\r\n\r\n",
                PUT + HOST + "Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nv\r\n0\r\n\r\n",
                PUT + HOST + "Transfer-Encoding: xchunked\r\n\r\n1\r\nv\r\n0\r\n\r\n",
                PUT + HOST + "Transfer-Encoding: chunked\r\n\r\nzz\r\nv\r\n0\r\n\r\n",
                PUT + HOST + "Transfer-Encoding: chunked\r\n\r\n-1\r\nv\r\n0\r\n\r\n",
                PUT + HOST + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nv\r\n0\r\n\r\n"
            })
    void it_is_refused(String request) throws Exception {
        String answer = exchange(request.getBytes(StandardCharsets.ISO_8859_1));
        assertTrue(answer.isEmpty() || answer.startsWith("HTTP/1.1 4"), () -> request.strip() + " -> " + answer);
        server.get("/v1").expect(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {TABLE + "/keys/100%", TABLE + "/keys/%zz", "/v1/%4", TABLE + "/entries?prefix=a%4"})
    void a_broken_escape_is_told_as_any_other_problem(String path) throws Exception {
        String answer = exchange(("GET " + path + " HTTP/1.1\r\n" + HOST + "\r\n").getBytes(StandardCharsets.US_ASCII));
        assertTrue(answer.startsWith("HTTP/1.1 400 Bad Request\r\n"), answer);
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line : answer.substring(0, answer.indexOf("\r\n\r\n")).split("\r\n", -1)) {
            headers.put(line.replaceFirst(":.*", ""), line.replaceFirst("[^:]*: ?", ""));
        }
        String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
        assertEquals("application/problem+json", headers.get("Content-Type"));
        assertEquals(Integer.toString(body.length()), headers.get("Content-Length"));
        assertTrue(body.contains("\"code\":\"invalid_request\""), body);
        assertTrue(body.contains("\"request_id\":\"" + headers.get("X-Request-Id") + "\""), body);
    }

    @Test
    void a_value_that_looks_like_a_refusal_comes_back_as_it_is() throws Exception {
        String refusal = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        server.put(TABLE + "/keys/k", refusal).expect(204);
        assertEquals(
                refusal, new String(server.get(TABLE + "/keys/k").expect(200).bytes(), StandardCharsets.UTF_8));
        server.send("DELETE", TABLE + "/keys/k", "").expect(204);
    }

    @Test
    void a_client_that_pauses_in_its_import_is_waited_for_and_told_what_was_stored(@TempDir Path apart)
            throws Exception {
        try (TestServer patient = new TestServer(
                        apart.resolve("store"), TestServer.config().withPace(300, 1 << 10));
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), patient.port())) {
            String line = "{\"key\":\"a\",\"value\":\"1\"}\n";
            socket.getOutputStream()
                    .write(("POST " + TABLE + "/import HTTP/1.1\r\n" + HOST + "Content-Length: 1000\r\n\r\n" + line)
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(answer.startsWith("HTTP/1.1 408 "), answer);
            assertTrue(answer.contains("\"stored\":1"), answer);
            assertEquals("1", patient.get(TABLE + "/keys/a").expect(200).text());
        }
    }

    @Test
    void a_head_beyond_its_limits_is_refused() throws Exception {
        assertRefused("GET /v1 HTTP/1.1\r\n" + HOST + "X-Long: " + "x".repeat(20 << 10) + "\r\n\r\n", "431");
        assertRefused("GET /v1 HTTP/1.1\r\n" + HOST + "X-Long: " + "x".repeat(300 << 10) + "\r\n\r\n", "4");
        assertRefused("GET /v1 HTTP/1.1\r\n" + HOST + "X-Many: x\r\n".repeat(100) + "\r\n", "4");
        assertRefused("GET /v1?" + "a=1&".repeat(100) + " HTTP/1.1\r\n" + HOST + "\r\n", "4");
        assertRefused("GET /" + "x".repeat(300 << 10) + " HTTP/1.1\r\n" + HOST + "\r\n", "4");
    }

    @Test
    void a_chunked_body_beyond_the_limit_is_refused() throws Exception {
        StringBuilder request = new StringBuilder(PUT + HOST + "Transfer-Encoding: chunked\r\n\r\n");
        String chunk = "10000\r\n" + "v".repeat(0x10000) + "\r\n";
        for (int i = 0; i < 20; i++) {
            request.append(chunk);
        }
        assertRefused(request + "0\r\n\r\n", "413");
    }

    @Test
    void a_chunked_body_that_nobody_wants_is_not_read_for_ever() throws Exception {
        String chunk = "100000\r\n" + "v".repeat(0x100000) + "\r\n";
        for (String path : new String[] {"/v1/nowhere", TABLE + "/keys/k"}) {
            String head = "PUT " + path + " HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n";
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                byte[] bytes = chunk.getBytes(StandardCharsets.US_ASCII);
                assertThrows(IOException.class, () -> {
                    for (int i = 0; i < 1_000; i++) {
                        socket.getOutputStream().write(bytes);
                    }
                });
            }
        }
        server.get("/v1").expect(200);
    }

    @Test
    void a_chunked_import_may_have_any_length() throws Exception {
        String line = "{\"key\":\"k\",\"value\":\"" + "v".repeat(0xf0000) + "\"}\n";
        String chunk = Integer.toHexString(line.length()) + "\r\n" + line + "\r\n";
        int lines = (int) (Limits.REFUSED_BYTES / line.length()) + 2;
        String head = "POST " + TABLE + "/import HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n";
        String answer = exchange((head + chunk.repeat(lines) + "0\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        assertTrue(answer.endsWith("{\"stored\":" + lines + "}\n"), answer);
        server.send("DELETE", TABLE + "/keys/k", "").expect(204);
    }

    @Test
    void a_client_that_leaves_in_the_middle_changes_nothing() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream()
                    .write((PUT + HOST + "Content-Length: 100\r\n\r\nhalf").getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
        }
        server.get("/v1").expect(200);
    }

    @Test
    void random_bytes_do_no_harm() throws Exception {
        Random random = new Random(1);
        byte[] valid = (PUT + HOST + "Content-Length: 0\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 200; i++) {
            byte[] bytes = valid.clone();
            if (i % 2 == 0) {
                bytes = new byte[random.nextInt(200)];
                random.nextBytes(bytes);
            } else {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            String answer = send(bytes, 50);
            assertTrue(answer.isEmpty() || !answer.startsWith("HTTP/1.1 5"), answer);
        }
        for (String key : server.store().table("d", "t").stream(io.kvstore.data.KeyRange.all())
                .map(entry -> new String(entry.key(), StandardCharsets.UTF_8))
                .toList()) {
            server.store().remove("d", "t", key);
        }
    }

    @Test
    void pipelined_requests_are_answered_in_order() throws Exception {
        String one = "GET /livez HTTP/1.1\r\n" + HOST + "\r\n";
        String answer = exchange((one + one + "GET /none HTTP/1.1\r\n" + HOST + "Connection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        assertEquals(2, answer.split("HTTP/1.1 200", -1).length - 1, answer);
        assertTrue(answer.indexOf("HTTP/1.1 404") > answer.lastIndexOf("HTTP/1.1 200"), answer);
    }

    private static void assertRefused(String request, String status) throws IOException {
        String answer = exchange(request.getBytes(StandardCharsets.US_ASCII));
        assertTrue(answer.isEmpty() || answer.startsWith("HTTP/1.1 " + status), answer);
    }

    private static String exchange(byte[] request) throws IOException {
        return send(request, LONGEST_MILLIS);
    }

    /** Sends bytes and returns what comes back before the connection ends or the time is over. */
    private static String send(byte[] request, int millis) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(millis);
            socket.getOutputStream().write(request);
            socket.getOutputStream().flush();
            socket.shutdownOutput();
            InputStream in = socket.getInputStream();
            in.transferTo(answer);
        } catch (SocketTimeoutException | SocketException e) {
            // What came before is the answer; a reset is a refusal.
        }
        return answer.toString(StandardCharsets.ISO_8859_1);
    }
}
