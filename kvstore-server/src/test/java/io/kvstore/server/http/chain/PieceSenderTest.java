package io.kvstore.server.http.chain;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.server.http.message.Limits;
import io.undertow.io.IoCallback;
import io.undertow.io.Sender;
import io.undertow.server.HttpServerExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Answers in pieces, and clients that take them slowly. */
final class PieceSenderTest {

    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private final List<String> ends = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - 5;

    /** A client that takes what it is sent, and says so when the test lets it. */
    private final Sender sender = (Sender) Proxy.newProxyInstance(
            PieceSenderTest.class.getClassLoader(), new Class<?>[] {Sender.class}, (_, method, arguments) -> {
                if (method.getName().equals("close")) {
                    ends.add("end");
                } else {
                    ByteBuffer piece = (ByteBuffer) arguments[0];
                    assertTrue(piece.remaining() <= Limits.STREAM_CHUNK_BYTES);
                    byte[] bytes = new byte[piece.remaining()];
                    piece.get(bytes);
                    sent.writeBytes(bytes);
                }
                return null;
            });

    private final IoCallback end = new IoCallback() {
        @Override
        public void onComplete(HttpServerExchange exchange, Sender from) {
            throw new IllegalStateException("the end is left to the sender");
        }

        @Override
        public void onException(@Nullable HttpServerExchange exchange, Sender from, IOException exception) {
            ends.add(String.valueOf(exception.getMessage()));
        }
    };

    /** Sends a body to a client that takes that time for each piece. */
    private void send(byte[] body, long secondsOfPiece) {
        PieceSender pieces = new PieceSender(PieceSender.piecesOf(body), () -> nanos, end);
        for (int i = 0; ends.isEmpty() && i < 1_000; i++) {
            pieces.onComplete(null, sender);
            nanos += TimeUnit.SECONDS.toNanos(secondsOfPiece);
        }
    }

    private static byte[] body(int bytes) {
        byte[] body = new byte[bytes];
        new Random(bytes).nextBytes(body);
        return body;
    }

    @Test
    void all_bytes_arrive_in_order() {
        for (int bytes : new int[] {1, 65_536, 65_537, 200_000}) {
            sent.reset();
            ends.clear();
            send(body(bytes), 0);
            assertArrayEquals(body(bytes), sent.toByteArray());
            assertEquals(List.of("end"), ends);
        }
    }

    @Test
    void a_client_with_a_slow_line_gets_its_answer() {
        send(body(16 << 20), 4);
        assertEquals(16 << 20, sent.size());
        assertEquals(List.of("end"), ends);
    }

    @Test
    void a_client_that_takes_a_little_now_and_then_loses_its_connection() {
        send(body(16 << 20), 25);
        assertEquals(List.of("the client takes its answer too slowly"), ends);
        assertEquals(2 * Limits.STREAM_CHUNK_BYTES, sent.size());
    }
}
