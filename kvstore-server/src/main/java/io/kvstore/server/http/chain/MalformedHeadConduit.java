package io.kvstore.server.http.chain;

import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.RequestId;
import io.undertow.server.AbstractServerConnection;
import io.undertow.server.HttpServerExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.xnio.conduits.AbstractStreamSinkConduit;
import org.xnio.conduits.StreamSinkConduit;

/**
 * Replaces the library's answer to a request whose head it cannot read. The library writes a status without a body then and
 * closes the connection, before any handler runs. Such a refusal can be written only while no request is being answered. This
 * conduit recognizes it and sends a problem in its place. Used by the connection's I/O thread, and by the worker that answers a
 * request.
 */
public final class MalformedHeadConduit extends AbstractStreamSinkConduit<StreamSinkConduit> {

    private static final byte[] REFUSAL = "HTTP/1.1 400 ".getBytes(StandardCharsets.US_ASCII);

    private final RequestId ids;
    private volatile boolean isAnswering;
    private @Nullable ByteBuffer problem;

    public MalformedHeadConduit(StreamSinkConduit next, RequestId ids) {
        super(next);
        this.ids = ids;
    }

    /** Notes that a request was read. Until it ends, all bytes that are written are its answer. */
    public static void begin(HttpServerExchange exchange) {
        if (exchange.getConnection() instanceof AbstractServerConnection connection
                && connection.getOriginalSinkConduit() instanceof MalformedHeadConduit conduit) {
            conduit.isAnswering = true;
            exchange.addExchangeCompleteListener((done, more) -> {
                conduit.isAnswering = false;
                more.proceed();
            });
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        if (isAnswering || (problem == null && !isRefusal(source))) {
            return super.write(source);
        }
        if (problem == null) {
            problem = ByteBuffer.wrap(answer());
        }
        while (problem.hasRemaining()) {
            if (super.write(problem) == 0) {
                return 0;
            }
        }
        int count = source.remaining();
        source.position(source.limit());
        return count;
    }

    private static boolean isRefusal(ByteBuffer source) {
        return source.remaining() >= REFUSAL.length
                && source.slice(source.position(), REFUSAL.length).equals(ByteBuffer.wrap(REFUSAL));
    }

    private byte[] answer() {
        String id = ids.next();
        byte[] body = Reply.of(
                        Problem.of(
                                ProblemCode.INVALID_REQUEST,
                                "the request line or a header cannot be read; a percent sign in a path or a query stands"
                                        + " before two hexadecimal digits, so write it itself as %25"),
                        id)
                .body();
        StringBuilder head = new StringBuilder("HTTP/1.1 400 Bad Request\r\n");
        Map<String, String> headers = Map.of(
                "Connection",
                "close",
                "Content-Length",
                Integer.toString(body.length),
                "Content-Type",
                "application/problem+json",
                "Cache-Control",
                "no-store",
                "Server",
                "kvstore",
                "X-Content-Type-Options",
                "nosniff",
                RequestId.HEADER,
                id);
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
        whole.writeBytes(body);
        return whole.toByteArray();
    }
}
