package io.kvstore.server.http;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Lifecycle;
import io.kvstore.server.edge.Ports;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Reasons;
import io.kvstore.server.http.chain.BodyHandler;
import io.kvstore.server.http.chain.ChunkedBodyLimit;
import io.kvstore.server.http.chain.Handlers;
import io.kvstore.server.http.chain.HttpRoutes;
import io.kvstore.server.http.chain.MalformedHeadConduit;
import io.kvstore.server.http.chain.ProblemBoundary;
import io.kvstore.server.http.chain.RequestGuard;
import io.kvstore.server.http.chain.RoutingHandler;
import io.kvstore.server.http.chain.TokenGuard;
import io.kvstore.server.http.chain.WorkHandler;
import io.kvstore.server.http.chain.Workers;
import io.kvstore.server.http.endpoint.BackupHandlers;
import io.kvstore.server.http.endpoint.BatchHandlers;
import io.kvstore.server.http.endpoint.DatabaseHandlers;
import io.kvstore.server.http.endpoint.EntryHandlers;
import io.kvstore.server.http.endpoint.FileHandlers;
import io.kvstore.server.http.endpoint.ImportHandler;
import io.kvstore.server.http.endpoint.KeyHandlers;
import io.kvstore.server.http.endpoint.MergeHandlers;
import io.kvstore.server.http.endpoint.OperationHandlers;
import io.kvstore.server.http.endpoint.ServerHandlers;
import io.kvstore.server.http.endpoint.TableHandlers;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.RequestId;
import io.kvstore.server.http.message.StreamPace;
import io.kvstore.server.metrics.ServerMetrics;
import io.undertow.server.HttpHandler;
import io.undertow.server.handlers.GracefulShutdownHandler;
import io.undertow.server.handlers.HttpContinueReadHandler;
import io.undertow.server.handlers.RequestLimit;
import io.undertow.server.handlers.RequestLimitingHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP edge of an open store. On the connection's I/O thread a request passes the boundary, which turns any failure into a
 * problem, the guards, routing, the check whether the server is stopping, and the reading of the body. Its endpoint runs on a
 * worker thread. The number of requests on workers and waiting for one is bounded.
 */
public final class HttpServer implements AutoCloseable {

    private static final Logger LOGGER = System.getLogger(HttpServer.class.getName());

    /** How long requests may take to end when they are interrupted and their connections are closed. */
    private static final long END_MILLIS = 5_000;

    private final HttpConfig config;
    private final Lifecycle lifecycle;
    private final GracefulShutdownHandler inFlight;
    private final ByteBudget bodyBytes;
    private final ByteBudget answerBytes;
    private final Workers workers;
    private final HttpListener listener;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    /**
     * Starts serving.
     *
     * @throws BindException if the port is taken or the address is not this machine's
     */
    public HttpServer(HttpConfig config, Edge edge, ServerMetrics metrics) throws BindException {
        this.config = config;
        this.lifecycle = edge.lifecycle();
        this.workers = new Workers(config.workerThreads());
        ProblemBoundary boundary = new ProblemBoundary();
        this.bodyBytes = new ByteBudget(config.bodyBytes());
        this.answerBytes = new ByteBudget(config.answerBytes());
        BodyHandler bodies =
                new BodyHandler(edge.store().options().maxValueBytes(), bodyBytes, boundary, work(boundary));
        this.inFlight = new GracefulShutdownHandler(new HttpContinueReadHandler(bodies));
        HttpRoutes routes = new HttpRoutes(handlers(edge, metrics, bodyBytes));
        StreamPace pace = new StreamPace(config.behindMillis(), config.paceBytes(), metrics::slowClient);
        HttpHandler routing = new RoutingHandler(routes, metrics, pace, answerBytes, this::unlessStopping);
        HttpHandler guarded = boundary.around(new RequestGuard(hosts(), new TokenGuard(edge.access(), routing)));
        RequestId ids = new RequestId();
        this.listener = start(ids, exchange -> {
            MalformedHeadConduit.begin(exchange);
            ids.assign(exchange);
            exchange.setMaxEntitySize(Limits.REFUSED_BYTES);
            ChunkedBodyLimit.guard(exchange);
            guarded.handleRequest(exchange);
        });
    }

    private HttpHandler work(ProblemBoundary boundary) {
        RequestLimit limit = new RequestLimit(config.workerThreads(), config.queuedRequests());
        limit.setFailureHandler(exchange -> boundary.answer(
                exchange,
                new ProblemException(Problem.of(ProblemCode.OVERLOADED, "too many requests are waiting already"))));
        return new RequestLimitingHandler(limit, new WorkHandler(boundary, workers));
    }

    private void unlessStopping(io.undertow.server.HttpServerExchange exchange) throws Exception {
        if (lifecycle.isStopping()) {
            exchange.setPersistent(false);
        }
        lifecycle.checkNotStopping();
        inFlight.handleRequest(exchange);
    }

    static Handlers handlers(Edge edge, ServerMetrics metrics, ByteBudget bodies) {
        return new Handlers(
                new ServerHandlers(edge, metrics),
                new DatabaseHandlers(edge),
                new TableHandlers(edge),
                new KeyHandlers(edge.tables()),
                new MergeHandlers(edge.tables()),
                new EntryHandlers(edge),
                new BatchHandlers(edge),
                new ImportHandler(edge, bodies),
                new FileHandlers(edge),
                new BackupHandlers(edge),
                new OperationHandlers(edge));
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

    private HttpListener start(RequestId ids, HttpHandler handler) throws BindException {
        try {
            return HttpListener.start(config, ids, handler);
        } catch (BindException e) {
            throw Ports.inUse(config.port(), "--http-port", e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen for HTTP: " + Reasons.of(e), e);
        }
    }

    /** The port that the server listens at. */
    public int port() {
        return listener.port();
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

    /** Memory that bodies and answers take now. A request gives its own back shortly after its answer is on its way. */
    long budgetUsedBytes() {
        return bodyBytes.usedBytes() + answerBytes.usedBytes();
    }

    /**
     * Stops listening and closes every connection. Requests that are not answered yet end then, and after them the threads for
     * I/O, which they need until their end. Closing twice is harmless.
     */
    @Override
    public void close() {
        lifecycle.stop();
        if (isClosed.getAndSet(true)) {
            return;
        }
        listener.closeConnections();
        if (!workers.end(END_MILLIS)) {
            LOGGER.log(Level.WARNING, "requests were still being worked on when the HTTP server closed");
        }
        listener.close();
    }
}
