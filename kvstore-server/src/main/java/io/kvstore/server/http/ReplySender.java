package io.kvstore.server.http;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderMap;
import io.undertow.util.HttpString;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Map;

/** Sends answers. */
final class ReplySender {

    private static final HttpString SERVER = new HttpString("Server");
    private static final HttpString CACHE_CONTROL = new HttpString("Cache-Control");
    private static final HttpString CONTENT_TYPE = new HttpString("Content-Type");
    private static final HttpString NO_SNIFF = new HttpString("X-Content-Type-Options");
    private static final HttpString REQUEST_ID = new HttpString(RequestId.HEADER);

    private ReplySender() {}

    /** Sends an answer. A whole one leaves without waiting; a streamed one is written by this thread. */
    static void send(HttpServerExchange exchange, Reply reply) throws IOException {
        switch (reply) {
            case Reply.Whole whole -> send(exchange, whole);
            case Reply.Streamed streamed -> stream(exchange, streamed);
        }
    }

    static void send(HttpServerExchange exchange, Reply.Whole reply) {
        exchange.setStatusCode(reply.status());
        HeaderMap headers = exchange.getResponseHeaders();
        common(exchange, headers);
        for (Map.Entry<String, String> header : reply.headers().entrySet()) {
            headers.put(new HttpString(header.getKey()), header.getValue());
        }
        if (reply.status() == 204 || reply.status() == 304) {
            exchange.endExchange();
            return;
        }
        exchange.setResponseContentLength(reply.body().length);
        if (reply.body().length == 0) {
            exchange.endExchange();
        } else {
            exchange.getResponseSender().send(ByteBuffer.wrap(reply.body()));
        }
    }

    private static void stream(HttpServerExchange exchange, Reply.Streamed reply) throws IOException {
        try (Reply.Writer writer = reply.writer()) {
            common(exchange, exchange.getResponseHeaders());
            exchange.getResponseHeaders().put(CONTENT_TYPE, reply.contentType());
            exchange.startBlocking();
            OutputStream out = exchange.getOutputStream();
            writer.write(out);
            out.close();
        }
        exchange.endExchange();
    }

    private static void common(HttpServerExchange exchange, HeaderMap headers) {
        headers.put(SERVER, "kvstore");
        headers.put(CACHE_CONTROL, "no-store");
        headers.put(NO_SNIFF, "nosniff");
        headers.put(REQUEST_ID, RequestId.of(exchange));
    }
}
