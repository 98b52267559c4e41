package io.kvstore.server.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is closed while clients use it. */
final class CloseTest {

    private static final int ROUNDS = 20;
    private static final int CLIENTS = 8;

    private final Logger library = Logger.getLogger("io.undertow");
    private final Kept kept = new Kept();

    @TempDir
    private Path temp;

    /** Keeps what is logged. */
    private static final class Kept extends Handler {

        private final Queue<String> errors = new ConcurrentLinkedQueue<>();

        @Override
        public void publish(LogRecord entry) {
            if (entry.getThrown() != null) {
                errors.add(entry.getMessage() + " " + entry.getThrown());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void listen() {
        library.addHandler(kept);
    }

    /** The library logs what it cannot do any more with a stack trace. */
    @AfterEach
    void nothing_was_logged() {
        library.removeHandler(kept);
        assertEquals(List.of(), List.copyOf(kept.errors));
    }

    /** Sends one request after the other, and never looks at an answer beyond its first byte. */
    private static void ask(int port, String path, CountDownLatch answered) {
        byte[] request = ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] answer = new byte[1 << 10];
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            OutputStream out = socket.getOutputStream();
            for (int i = 0; i < 1_000_000; i++) {
                out.write(request);
                if (socket.getInputStream().read(answer) < 0) {
                    return;
                }
                answered.countDown();
            }
        } catch (IOException e) {
            answered.countDown(); // the server has closed the connection
        }
    }

    @Test
    void requests_may_end_meanwhile() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            CountDownLatch answered = new CountDownLatch(20 * CLIENTS);
            List<Thread> clients = new ArrayList<>();
            try (TestServer server = new TestServer(temp.resolve("store-" + round))) {
                server.put(TestServer.TABLE + "/keys/k", "value").expect(204);
                int port = server.port();
                for (int i = 0; i < CLIENTS; i++) {
                    String path = TestServer.TABLE + (i % 2 == 0 ? "/keys/k" : "/entries");
                    clients.add(Thread.ofPlatform().start(() -> ask(port, path, answered)));
                }
                assertTrue(answered.await(60, TimeUnit.SECONDS));
            }
            for (Thread client : clients) {
                client.join();
            }
        }
    }

    /** A client that has sent this, and has come to where it waits for more. */
    private static Socket begin(TestServer server, String head) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(60_000);
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    /** Whether the server closes a connection. Takes what has come before. */
    private static boolean isEnded(Socket socket) throws IOException {
        byte[] some = new byte[1 << 16];
        try {
            for (long bytes = 0; bytes < 1L << 30; ) {
                int count = socket.getInputStream().read(some);
                if (count < 0) {
                    return true;
                }
                bytes += count;
            }
            return false;
        } catch (SocketException e) {
            return true; // with bytes that the server has not read the end is a reset
        }
    }

    /** A server with one long job at a time. */
    private TestServer server() throws Exception {
        return new TestServer(temp.resolve("store"), TestServer.config().withLoad(2, 8, 64 << 20));
    }

    @Test
    void a_connection_at_rest_is_closed() throws Exception {
        try (TestServer server = server();
                Socket socket = begin(server, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
            assertTrue(socket.getInputStream().read() >= 0);
            server.server().close();
            assertTrue(isEnded(socket));
            server.server().close(); // once more does nothing
        }
    }

    @Test
    void an_import_under_way_ends_before_close_returns() throws Exception {
        try (TestServer server = server();
                Socket socket = begin(
                        server,
                        "POST " + TestServer.TABLE + "/import HTTP/1.1\r\nHost: localhost\r\n"
                                + "Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n")) {
            assertTrue(socket.getInputStream().read() >= 0); // said by the worker that reads the body
            server.server().close();
            server.edge().lifecycle().beginLongJob().close();
            assertTrue(isEnded(socket));
        }
    }

    @Test
    void a_stream_whose_client_takes_nothing_ends_before_close_returns() throws Exception {
        try (TestServer server = server()) {
            String value = "v".repeat(1 << 20);
            for (int i = 0; i < 32; i++) {
                server.put(TestServer.TABLE + "/keys/" + i, value).expect(204);
            }
            String head = "GET " + TestServer.TABLE + "/entries HTTP/1.1\r\nHost: localhost\r\n"
                    + "Accept: application/x-ndjson\r\n\r\n";
            try (Socket socket = begin(server, head)) {
                assertTrue(socket.getInputStream().read() >= 0);
                server.server().close();
                server.edge().lifecycle().beginLongJob().close();
                assertTrue(isEnded(socket));
            }
        }
    }
}
