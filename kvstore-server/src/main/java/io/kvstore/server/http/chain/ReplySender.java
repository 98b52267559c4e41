package io.kvstore.server.http.chain;

import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.RequestId;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderMap;
import io.undertow.util.HttpString;
import io.undertow.util.Methods;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.xnio.IoUtils;
import org.xnio.XnioExecutor;

/** Sends answers. */
final class ReplySender {

    private static final HttpString SERVER = new HttpString("Server");
    private static final HttpString CACHE_CONTROL = new HttpString("Cache-Control");
    private static final HttpString CONTENT_TYPE = new HttpString("Content-Type");
    private static final HttpString NO_SNIFF = new HttpString("X-Content-Type-Options");
    private static final HttpString REQUEST_ID = new HttpString(RequestId.HEADER);

    private ReplySender() {}

    /** Sends an answer. This thread writes a streamed answer and waits for the client. For any other it does not wait. */
    static void send(HttpServerExchange exchange, Reply reply) throws IOException {
        boundRest(exchange);
        switch (reply) {
            case Reply.Whole whole -> whole(exchange, whole);
            case Reply.Pieces pieces -> send(exchange, pieces);
            case Reply.Streamed streamed -> stream(exchange, streamed);
        }
    }

    /** Sends an answer that is in memory. Does not wait. */
    static void send(HttpServerExchange exchange, Reply.Whole reply) {
        boundRest(exchange);
        whole(exchange, reply);
    }

    /**
     * Bounds the time for the rest of a body that nobody wants any more. The library reads it to its end, because the next
     * request comes behind it, and counts the request as one that is worked on until then.
     */
    private static void boundRest(HttpServerExchange exchange) {
        if (exchange.isRequestComplete()) {
            return;
        }
        XnioExecutor.Key end = exchange.getIoThread()
                .executeAfter(
                        () -> {
                            IoUtils.safeClose(exchange.getConnection());
                            exchange.endExchange(); // nothing else tells it that the connection is closed
                        },
                        RoutingHandler.restMillis(exchange),
                        TimeUnit.MILLISECONDS);
        exchange.addExchangeCompleteListener((_, more) -> {
            end.remove();
            more.proceed();
        });
    }

    private static void whole(HttpServerExchange exchange, Reply.Whole reply) {
        exchange.setStatusCode(reply.status());
        HeaderMap headers = exchange.getResponseHeaders();
        common(exchange, headers);
        putAll(headers, reply.headers());
        if (reply.status() == 204 || reply.status() == 304) {
            exchange.endExchange();
            return;
        }
        exchange.setResponseContentLength(reply.body().length);
        if (reply.body().length == 0) {
            exchange.endExchange();
        } else if (reply.body().length <= Limits.STREAM_CHUNK_BYTES) {
            exchange.getResponseSender().send(ByteBuffer.wrap(reply.body()));
        } else {
            Supplier<@Nullable ByteBuffer> pieces = PieceSender.piecesOf(reply.body());
            new PieceSender(pieces).onComplete(exchange, exchange.getResponseSender());
        }
    }

    private static void send(HttpServerExchange exchange, Reply.Pieces reply) {
        Reply.PieceWriter writer = reply.writer();
        byte[] first = writer.next();
        common(exchange, exchange.getResponseHeaders());
        exchange.getResponseHeaders().put(CONTENT_TYPE, reply.contentType());
        if (first == null || exchange.getRequestMethod().equals(Methods.HEAD)) {
            exchange.endExchange();
            return;
        }
        if (writer.isEnded()) {
            exchange.setResponseContentLength(first.length);
        }
        exchange.getResponseSender().send(ByteBuffer.wrap(first), new PieceSender(() -> {
            byte[] piece = writer.next();
            return piece == null ? null : ByteBuffer.wrap(piece);
        }));
    }

    private static void stream(HttpServerExchange exchange, Reply.Streamed reply) throws IOException {
        try (Reply.Writer writer = reply.writer()) {
            common(exchange, exchange.getResponseHeaders());
            exchange.setStatusCode(reply.status());
            putAll(exchange.getResponseHeaders(), reply.headers());
            if (exchange.getRequestMethod().equals(Methods.HEAD)) {
                exchange.endExchange();
                return;
            }
            exchange.startBlocking();
            OutputStream out = RoutingHandler.request(exchange).answerStream();
            writer.write(out);
            out.close();
        }
        exchange.endExchange();
    }

    private static void putAll(HeaderMap headers, Map<String, String> more) {
        more.forEach((name, value) -> headers.put(new HttpString(name), value));
    }

    private static void common(HttpServerExchange exchange, HeaderMap headers) {
        headers.put(SERVER, "kvstore");
        headers.put(CACHE_CONTROL, "no-store");
        headers.put(NO_SNIFF, "nosniff");
        headers.put(REQUEST_ID, RequestId.of(exchange));
    }
}
