package io.kvstore.server.http;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Lifecycle;
import io.kvstore.server.edge.Ports;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.metrics.ServerMetrics;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.DefaultByteBufferPool;
import io.undertow.server.HttpHandler;
import io.undertow.server.handlers.GracefulShutdownHandler;
import io.undertow.server.handlers.HttpContinueReadHandler;
import io.undertow.server.handlers.RequestLimit;
import io.undertow.server.handlers.RequestLimitingHandler;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.xnio.Options;

/**
 * The HTTP edge of an open store. A request passes, on the connection's I/O thread: boundary (any failure becomes a
 * problem), guard, routing, stop check, body; then, on a worker thread and bounded in number: its endpoint. Every limit is
 * set here or in {@link Limits}; none is left to the library.
 */
public final class HttpServer implements AutoCloseable {

    private static final int BUFFER_BYTES = 16 << 10;

    private final HttpConfig config;
    private final Lifecycle lifecycle;
    private final GracefulShutdownHandler inFlight;
    private final Undertow undertow;

    /**
     * Starts serving.
     *
     * @throws BindException if the port is taken or the address is not this machine's
     */
    public HttpServer(HttpConfig config, Edge edge, ServerMetrics metrics) throws BindException {
        this.config = config;
        this.lifecycle = edge.lifecycle();
        ProblemBoundary boundary = new ProblemBoundary();
        BodyHandler bodies = new BodyHandler(
                edge.store().options().maxValueBytes(), new ByteBudget(config.bodyBytes()), boundary, work(boundary));
        this.inFlight = new GracefulShutdownHandler(new HttpContinueReadHandler(bodies));
        HttpRoutes routes = new HttpRoutes(handlers(edge, metrics));
        HttpHandler routing = new RoutingHandler(routes, metrics, this::unlessStopping);
        HttpHandler guarded = boundary.around(new RequestGuard(hosts(), new TokenGuard(edge.access(), routing)));
        RequestId ids = new RequestId();
        this.undertow = build(exchange -> {
            ids.assign(exchange);
            exchange.setMaxEntitySize(Limits.REFUSED_BYTES);
            ChunkedBodyLimit.guard(exchange);
            guarded.handleRequest(exchange);
        });
        start();
    }

    private HttpHandler work(ProblemBoundary boundary) {
        RequestLimit limit = new RequestLimit(config.workerThreads(), config.queuedRequests());
        limit.setFailureHandler(exchange -> boundary.answer(
                exchange,
                new ProblemException(Problem.of(ProblemCode.OVERLOADED, "too many requests are waiting already"))));
        return new RequestLimitingHandler(limit, new WorkHandler(boundary));
    }

    private void unlessStopping(io.undertow.server.HttpServerExchange exchange) throws Exception {
        if (lifecycle.isStopping()) {
            exchange.setPersistent(false);
        }
        lifecycle.checkNotStopping();
        inFlight.handleRequest(exchange);
    }

    static Handlers handlers(Edge edge, ServerMetrics metrics) {
        return new Handlers(
                new ServerHandlers(edge, metrics),
                new DatabaseHandlers(edge),
                new TableHandlers(edge),
                new KeyHandlers(edge.tables()),
                new EntryHandlers(edge),
                new BatchHandlers(edge),
                new ImportHandler(edge));
    }

    private @Nullable Set<String> hosts() {
        if (config.anyHost()) {
            return null;
        }
        Set<String> hosts = new TreeSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));
        InetAddress address = config.address();
        hosts.add(address.getHostName().toLowerCase(Locale.ROOT));
        hosts.add(address.getHostAddress());
        return hosts;
    }

    private Undertow build(HttpHandler handler) {
        String host = config.address().getHostAddress();
        Undertow.Builder builder = config.tls() == null
                ? Undertow.builder().addHttpListener(config.port(), host)
                : Undertow.builder().addHttpsListener(config.port(), host, config.tls());
        return builder.setIoThreads(Math.max(2, Runtime.getRuntime().availableProcessors()))
                .setWorkerThreads(config.workerThreads())
                .setByteBufferPool(new DefaultByteBufferPool(true, BUFFER_BYTES, -1, 4))
                .setServerOption(UndertowOptions.DECODE_URL, false)
                .setServerOption(UndertowOptions.ALLOW_UNESCAPED_CHARACTERS_IN_URL, false)
                .setServerOption(UndertowOptions.MAX_HEADER_SIZE, Limits.HEAD_BYTES)
                .setServerOption(UndertowOptions.MAX_HEADERS, Limits.HEADERS)
                .setServerOption(UndertowOptions.MAX_PARAMETERS, Limits.PARAMETERS)
                .setServerOption(UndertowOptions.MAX_COOKIES, 1)
                .setServerOption(UndertowOptions.MAX_ENTITY_SIZE, -1L)
                .setServerOption(UndertowOptions.MULTIPART_MAX_ENTITY_SIZE, 1L)
                .setServerOption(UndertowOptions.REQUEST_PARSE_TIMEOUT, Limits.REQUEST_PARSE_MILLIS)
                .setServerOption(UndertowOptions.NO_REQUEST_TIMEOUT, Limits.IDLE_MILLIS)
                .setServerOption(UndertowOptions.ENABLE_HTTP2, false)
                .setServerOption(UndertowOptions.ALWAYS_SET_DATE, true)
                .setServerOption(UndertowOptions.ALLOW_UNKNOWN_PROTOCOLS, false)
                .setSocketOption(Options.READ_TIMEOUT, Limits.IDLE_MILLIS)
                .setSocketOption(Options.WRITE_TIMEOUT, Limits.IDLE_MILLIS)
                .setSocketOption(Options.CONNECTION_HIGH_WATER, Limits.CONNECTIONS)
                .setSocketOption(Options.CONNECTION_LOW_WATER, Limits.CONNECTIONS - 64)
                .setSocketOption(Options.BACKLOG, 1_024)
                .setSocketOption(Options.TCP_NODELAY, true)
                .setSocketOption(Options.REUSE_ADDRESSES, true)
                .setHandler(handler)
                .build();
    }

    private void start() throws BindException {
        try {
            undertow.start();
        } catch (RuntimeException e) {
            undertow.stop();
            if (e.getCause() instanceof BindException taken) {
                throw Ports.inUse(config.port(), "--http-port", taken);
            }
            throw e;
        }
    }

    /** The port that is listened at. */
    public int port() {
        return ((InetSocketAddress) undertow.getListenerInfo().getFirst().getAddress()).getPort();
    }

    /**
     * Refuses new requests, ends streams and imports between two steps, and waits for the requests in flight.
     *
     * @return whether all of them ended in time
     */
    public boolean drain(long millis) throws InterruptedException {
        lifecycle.stop();
        inFlight.shutdown();
        return inFlight.awaitShutdown(millis);
    }

    /** Stops listening and closes every connection. */
    @Override
    public void close() {
        lifecycle.stop();
        undertow.stop();
    }
}
