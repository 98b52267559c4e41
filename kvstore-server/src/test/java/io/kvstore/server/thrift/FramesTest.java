package io.kvstore.server.thrift;

import static io.kvstore.server.thrift.ThriftTestServer.TABLE;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Table;
import io.kvstore.server.edge.Access;
import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ScanRequest;
import io.kvstore.thrift.ServiceError;
import io.kvstore.thrift.WriteOptions;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TTransportException;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What connections may send and how much. */
@NullUnmarked // What a generated getter gives may be null; that fails the test as well.
final class FramesTest {

    private static final WriteOptions DEFAULT = new WriteOptions();

    @TempDir
    private Path directory;

    private static byte[] frame(int length, byte[] content) {
        return ByteBuffer.allocate(4 + content.length)
                .putInt(length)
                .put(content)
                .array();
    }

    /** A call that has no arguments, as strict binary writes it. */
    private static byte[] call(String method, int padding) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(64);
        new TBinaryProtocol(buffer).writeMessageBegin(new TMessage(method, TMessageType.CALL, 7));
        byte[] message = new byte[buffer.length() + 1 + padding];
        System.arraycopy(buffer.getArray(), 0, message, 0, buffer.length());
        return message;
    }

    /** Whether the server ends the connection without a word. */
    private static boolean ends(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    private static void pings(ThriftTestServer server) throws TException {
        try (ThriftTestServer.Client client = server.client()) {
            client.ping();
        }
    }

    @Test
    void a_frame_may_have_its_limit_and_no_more() throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(directory);
                Socket socket = server.socket()) {
            OutputStream out = socket.getOutputStream();
            DataInputStream in = new DataInputStream(socket.getInputStream());
            int head = call("ping", 0).length;
            for (int over : new int[] {-1, 0, 1, 5_000_000, 0}) {
                int length = ThriftTestServer.MAX_FRAME_BYTES + over;
                out.write(frame(length, call("ping", length - head)));
                byte[] answer = in.readNBytes(in.readInt());
                assertEquals(
                        over > 0, new String(answer, US_ASCII).contains("at most " + ThriftTestServer.MAX_FRAME_BYTES));
            }
        }
    }

    @Test
    void a_value_over_the_frame_is_refused_by_name_and_the_connection_goes_on() throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(directory);
                ThriftTestServer.Client client = server.client()) {
            ByteBuffer huge = ByteBuffer.allocate(ThriftTestServer.MAX_FRAME_BYTES + 1);
            ServiceError error = assertThrows(ServiceError.class, () -> client.put(TABLE, huge, huge, DEFAULT));
            assertEquals(ErrorCode.TOO_LARGE, error.getCode());
            assertEquals(
                    "" + ThriftTestServer.MAX_FRAME_BYTES, error.getDetails().get("limit"));
            client.put(TABLE, ByteBuffer.wrap(new byte[] {1}), ByteBuffer.wrap(new byte[] {2}), DEFAULT);
        }
    }

    @Test
    void an_answer_over_the_frame_is_refused() throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(directory);
                ThriftTestServer.Client client = server.client()) {
            List<ByteBuffer> keys = new ArrayList<>();
            for (byte i = 0; i < 4; i++) {
                keys.add(ByteBuffer.wrap(new byte[] {i}));
                client.put(TABLE, keys.getLast(), ByteBuffer.allocate(ThriftTestServer.MAX_VALUE_BYTES), DEFAULT);
            }
            ServiceError error =
                    assertThrows(ServiceError.class, () -> client.multiGet(TABLE, keys, new ReadOptions()));
            assertEquals(ErrorCode.ANSWER_TOO_LARGE, error.getCode());
            assertEquals(
                    1,
                    client.multiGet(TABLE, keys.subList(0, 1), new ReadOptions())
                            .size());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, Limits.REFUSED_FRAME_BYTES + 1, 0x47455420})
    void a_length_that_nobody_means_ends_the_connection(int length) throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(directory);
                Socket socket = server.socket()) {
            socket.getOutputStream().write(frame(length, new byte[0]));
            assertTrue(ends(socket));
            pings(server);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "\0\0\0\0",
                "\0\0\0\1x",
                "\0\0\0\4{}{}",
                "\u0016\u0003\1"
            })
    void what_is_not_thrift_ends_the_connection(String text) throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(directory);
                Socket socket = server.socket()) {
            socket.getOutputStream().write(text.getBytes(US_ASCII));
            socket.shutdownOutput();
            assertTrue(ends(socket));
            pings(server);
        }
    }

    @Test
    void a_frame_over_the_limit_is_answered_though_it_comes_in_pieces() throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(directory);
                Socket socket = server.socket()) {
            int length = ThriftTestServer.MAX_FRAME_BYTES + 1;
            byte[] frame = frame(length, call("ping", length - call("ping", 0).length));
            OutputStream out = socket.getOutputStream();
            out.write(frame, 0, 4);
            server.awaitBusy(true);
            out.write(frame, 4, frame.length - 4);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            assertTrue(new String(in.readNBytes(in.readInt()), US_ASCII).contains("at most"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_list_may_have_its_limit_and_no_more(boolean compact) throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(directory);
                ThriftTestServer.Client client = server.client(compact)) {
            ByteBuffer key = ByteBuffer.wrap(new byte[] {1});
            for (int over : new int[] {-1, 0}) {
                List<ByteBuffer> keys = Collections.nCopies(Limits.ITEMS + over, key);
                assertEquals(
                        keys.size(),
                        client.multiGet(TABLE, keys, new ReadOptions()).size());
            }
            List<ByteBuffer> keys = Collections.nCopies(Limits.ITEMS + 1, key);
            ServiceError error =
                    assertThrows(ServiceError.class, () -> client.multiGet(TABLE, keys, new ReadOptions()));
            assertEquals(ErrorCode.TOO_LARGE, error.getCode());
            assertEquals("" + Limits.ITEMS, error.getDetails().get("limit"));
            client.ping();
        }
    }

    @Test
    void a_page_of_many_small_entries_ends_before_the_frame() throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(directory);
                ThriftTestServer.Client client = server.client()) {
            Table table = server.store().table("d", "t");
            int count = 100_000;
            for (int i = 0; i < count; i++) {
                table.put(ByteBuffer.allocate(8).putLong(i).array(), new byte[10]);
            }
            ScanRequest request = new ScanRequest(TABLE)
                    .setMaxEntries(Limits.PAGE_ENTRIES)
                    .setMaxBytes(ThriftTestServer.MAX_FRAME_BYTES - Limits.FRAME_SLACK_BYTES / 2);
            int seen = 0;
            ScanPage page;
            do {
                page = client.scan(request);
                seen += page.getEntriesSize();
                request.setContinuation(page.getContinuation());
            } while (page.isSetContinuation());
            assertEquals(count, seen);
        }
    }

    @Test
    void a_client_without_a_token_gets_no_long_frames_and_little_time() throws Exception {
        Path tokens = directory.resolve("tokens");
        Access.createTokens(tokens);
        Access access = Access.byTokensOf(tokens);
        try (ThriftTestServer server =
                new ThriftTestServer(directory.resolve("data"), ThriftTestServer.config(), access)) {
            try (Socket socket = server.socket()) {
                socket.getOutputStream().write(frame(Limits.KEPT_BYTES + 1, new byte[0]));
                assertTrue(ends(socket));
            }
            try (ThriftTestServer.Client client = server.client()) {
                // Pings are answered without a token, and win no time.
                assertThrows(TTransportException.class, () -> {
                    while (true) {
                        client.ping();
                    }
                });
            }
        }
    }

    @Test
    void a_method_that_nobody_knows_is_answered() throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(directory);
                Socket socket = server.socket()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] call = call("noSuchMethod", 0);
            socket.getOutputStream().write(frame(call.length, call));
            TMemoryBuffer answer = new TMemoryBuffer(64);
            answer.write(in.readNBytes(in.readInt()));
            TBinaryProtocol protocol = new TBinaryProtocol(answer);
            TMessage message = protocol.readMessageBegin();
            assertEquals(TMessageType.EXCEPTION, message.type);
            assertEquals(7, message.seqid);
            assertEquals(
                    TApplicationException.UNKNOWN_METHOD,
                    TApplicationException.readFrom(protocol).getType());
        }
    }

    @Test
    void connections_are_bounded_and_a_free_place_is_taken_again() throws Exception {
        try (ThriftTestServer server =
                new ThriftTestServer(directory, ThriftTestServer.config().withLoad(2, 64 << 20), Access.open())) {
            try (ThriftTestServer.Client one = server.client();
                    ThriftTestServer.Client two = server.client()) {
                one.ping();
                two.ping();
                assertThrows(TTransportException.class, () -> pings(server));
                two.ping();
            }
            while (server.server().connections() > 0) {
                Thread.onSpinWait();
            }
            pings(server);
        }
    }

    @Test
    void large_frames_and_answers_share_a_budget_that_comes_back() throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(
                        directory, ThriftTestServer.config().withLoad(8, 512 << 10), Access.open());
                ThriftTestServer.Client client = server.client()) {
            ByteBuffer key = ByteBuffer.wrap(new byte[] {1});
            for (int i = 0; i < 3; i++) {
                ServiceError error = assertThrows(
                        ServiceError.class, () -> client.put(TABLE, key, ByteBuffer.allocate(600 << 10), DEFAULT));
                assertEquals(ErrorCode.TOO_LARGE, error.getCode());
                assertFalse(error.isRetryable());
                client.put(TABLE, key, ByteBuffer.allocate(200 << 10), DEFAULT);
                assertEquals(
                        200 << 10, client.get(TABLE, key, new ReadOptions()).getValue().length);
            }
            server.store().table("d", "t").put(new byte[] {2}, new byte[500 << 10]);
            ServiceError error =
                    assertThrows(ServiceError.class, () -> client.scan(new ScanRequest(TABLE).setMaxBytes(1 << 20)));
            assertEquals(ErrorCode.ANSWER_TOO_LARGE, error.getCode());
            assertFalse(error.isRetryable());
            assertEquals(1, client.scan(new ScanRequest(TABLE).setMaxBytes(1)).getEntriesSize());
        }
    }

    /** A frame of 40 KB can have 10,000 keys, whose objects take sixty times that. */
    @Test
    void many_small_items_share_the_budget_too() throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(
                        directory, ThriftTestServer.config().withLoad(8, 512 << 10), Access.open());
                ThriftTestServer.Client client = server.client()) {
            ByteBuffer key = ByteBuffer.allocate(0);
            for (int i = 0; i < 3; i++) {
                List<ByteBuffer> many = Collections.nCopies(Limits.ITEMS, key);
                ServiceError error =
                        assertThrows(ServiceError.class, () -> client.multiGet(TABLE, many, new ReadOptions()));
                assertEquals(ErrorCode.TOO_LARGE, error.getCode());
                String message = String.valueOf(error.getMessage());
                assertTrue(message.startsWith("the list of 10000 items takes "), message);
                List<ByteBuffer> some = Collections.nCopies(1_000, key);
                assertEquals(
                        some.size(),
                        client.multiGet(TABLE, some, new ReadOptions()).size());
            }
            server.awaitBusy(false);
            assertEquals(0, server.server().budgetUsedBytes());
        }
    }

    @Test
    void a_client_without_a_token_is_told_so_and_sent_away_after_three_attempts() throws Exception {
        Path tokens = directory.resolve("tokens");
        Access.createTokens(tokens);
        Access access = Access.byTokensOf(tokens);
        String token = Files.readString(tokens).strip();
        try (ThriftTestServer server =
                        new ThriftTestServer(directory.resolve("data"), ThriftTestServer.config(), access);
                ThriftTestServer.Client client = server.client()) {
            client.ping();
            assertEquals(
                    ErrorCode.UNAUTHENTICATED,
                    assertThrows(ServiceError.class, client::databases).getCode());
            assertThrows(ServiceError.class, () -> client.authenticate(token + "x"));
            client.authenticate(token);
            assertEquals(List.of("d"), client.databases());
            try (ThriftTestServer.Client other = server.client()) {
                for (int i = 0; i < Limits.FAILED_TOKENS; i++) {
                    assertThrows(ServiceError.class, other::databases);
                }
                assertThrows(TTransportException.class, other::databases);
            }
        }
    }

    @Test
    void an_interrupt_ends_the_wait_for_a_call_in_flight() throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(directory);
                Socket busy = server.socket()) {
            busy.getOutputStream().write(frame(4, new byte[4]), 0, 6);
            server.awaitBusy(true);
            Thread.currentThread().interrupt();
            try {
                assertThrows(InterruptedException.class, () -> server.server().drain(ThriftTestServer.TIMEOUT_MILLIS));
            } finally {
                boolean _ = Thread.interrupted();
            }
        }
    }

    /** Deadlines are looked at by a thread of the server, which waits in between whatever happens to it. */
    @Test
    void the_server_s_own_thread_forgets_an_interrupt() throws Exception {
        try (ThriftTestServer _ = new ThriftTestServer(directory)) {
            List<Thread> watching = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("thrift-watch"))
                    .toList();
            assertFalse(watching.isEmpty());
            watching.forEach(Thread::interrupt);
            long end = System.nanoTime() + ThriftTestServer.TIMEOUT_MILLIS * 1_000_000L;
            while (watching.stream().anyMatch(Thread::isInterrupted) && System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            assertFalse(watching.stream().anyMatch(Thread::isInterrupted), "it looks all the time");
        }
    }

    @Test
    void a_call_in_flight_is_answered_when_the_server_stops_and_idle_connections_end() throws Exception {
        try (ThriftTestServer server = new ThriftTestServer(directory);
                ThriftTestServer.Client idle = server.client();
                Socket busy = server.socket()) {
            idle.ping();
            server.awaitBusy(false);
            byte[] call = call("ping", 0);
            byte[] bytes = frame(call.length, call);
            busy.getOutputStream().write(bytes, 0, 10);
            server.awaitBusy(true);
            server.edge().lifecycle().stop();
            Thread draining = Thread.ofVirtual().start(() -> {
                try {
                    assertTrue(server.server().drain(ThriftTestServer.TIMEOUT_MILLIS));
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            // A call that came just before the drain is answered; its connection ends after it.
            assertThrows(TTransportException.class, () -> {
                idle.ping();
                idle.ping();
            });
            busy.getOutputStream().write(bytes, 10, bytes.length - 10);
            DataInputStream in = new DataInputStream(busy.getInputStream());
            assertTrue(in.readNBytes(in.readInt()).length > 0);
            assertTrue(ends(busy));
            draining.join();
            assertEquals(0, server.server().connections());
        }
    }
}
