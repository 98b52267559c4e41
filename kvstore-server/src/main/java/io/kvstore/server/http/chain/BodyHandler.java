package io.kvstore.server.http.chain;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.http.message.Body;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.Request;
import io.kvstore.server.http.message.Route;
import io.undertow.connector.PooledByteBuffer;
import io.undertow.server.Connectors;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.xnio.ChannelListener;
import org.xnio.channels.StreamSourceChannel;

/**
 * Reads the body of a request on the I/O thread and hands the request on when the body is complete. So a slow client holds a
 * connection but no worker. A body that exceeds the route's limit ends the request as soon as that is known.
 */
public final class BodyHandler implements HttpHandler {

    private final long maxValueBytes;
    private final ByteBudget budget;
    private final ProblemBoundary boundary;
    private final HttpHandler next;

    public BodyHandler(long maxValueBytes, ByteBudget budget, ProblemBoundary boundary, HttpHandler next) {
        this.maxValueBytes = maxValueBytes;
        this.budget = budget;
        this.boundary = boundary;
        this.next = next;
    }

    @Override
    public void handleRequest(HttpServerExchange exchange) throws Exception {
        Request request = RoutingHandler.request(exchange);
        boolean isEndless = RoutingHandler.takesAnyLength(exchange);
        if (isEndless) {
            exchange.setMaxEntitySize(-1);
        }
        if (isEndless || exchange.isRequestComplete()) {
            next.handleRequest(exchange);
            return;
        }
        long limit = limit(request.route().body());
        checkSize(exchange.getRequestContentLength(), limit);
        new Gathering(exchange, request, limit).begin();
    }

    private long limit(Route.Body body) {
        return switch (body) {
            case NONE_AT_ONCE, NONE -> 0;
            case VALUE -> maxValueBytes;
            case JSON -> Limits.JSON_BYTES;
            case LINES, FILE -> Long.MAX_VALUE;
        };
    }

    private static void checkSize(long bytes, long limit) {
        if (bytes > limit) {
            String allowed = limit == 0 ? "none is taken here" : "at most " + limit + " are taken";
            throw new ProblemException(Problem.beyond(
                    ProblemCode.TOO_LARGE, "the body has " + bytes + " bytes or more; " + allowed, limit, bytes));
        }
    }

    /** One body that is arriving. Used by the connection's I/O thread. */
    private final class Gathering implements ChannelListener<StreamSourceChannel> {

        private final HttpServerExchange exchange;
        private final Request request;
        private final long limit;
        private final long begun = System.nanoTime();
        private final Body body = new Body(budget.claim(ProblemCode.TOO_LARGE));
        private @Nullable Exception failure;

        Gathering(HttpServerExchange exchange, Request request, long limit) {
            this.exchange = exchange;
            this.request = request;
            this.limit = limit;
        }

        void begin() throws Exception {
            exchange.addExchangeCompleteListener((done, more) -> {
                body.close();
                more.proceed();
            });
            StreamSourceChannel channel = exchange.getRequestChannel();
            if (pull(channel)) {
                finish();
            } else {
                channel.getReadSetter().set(this);
                channel.resumeReads();
            }
        }

        @Override
        public void handleEvent(StreamSourceChannel channel) {
            try {
                if (!pull(channel)) {
                    return;
                }
            } catch (IOException | RuntimeException e) {
                failure = e;
            }
            channel.suspendReads();
            Connectors.executeRootHandler(boundary.around(done -> finish()), exchange);
        }

        /** Takes the bytes that have arrived. Returns true when the body is complete. */
        private boolean pull(StreamSourceChannel channel) throws IOException {
            try (PooledByteBuffer pooled =
                    exchange.getConnection().getByteBufferPool().allocate()) {
                ByteBuffer buffer = pooled.getBuffer();
                while (true) {
                    buffer.clear();
                    int count = channel.read(buffer);
                    if (count < 0) {
                        return true;
                    }
                    if (count == 0) {
                        checkTime();
                        return false;
                    }
                    add(buffer.flip());
                }
            }
        }

        private void add(ByteBuffer arrived) {
            checkSize((long) body.size() + arrived.remaining(), limit);
            body.add(arrived);
        }

        private void checkTime() {
            if (System.nanoTime() - begun > Limits.BODY_MILLIS * 1_000_000) {
                exchange.setPersistent(false);
                throw new ProblemException(Problem.of(
                        ProblemCode.REQUEST_TIMEOUT,
                        "the body took longer than " + Limits.BODY_MILLIS / 1_000 + " seconds"));
            }
        }

        private void finish() throws Exception {
            if (failure != null) {
                throw failure;
            }
            request.body(body);
            next.handleRequest(exchange);
        }
    }
}
