package io.kvstore.server.http;

import io.kvstore.server.http.chain.MalformedHeadConduit;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.RequestId;
import io.undertow.UndertowOptions;
import io.undertow.protocols.ssl.UndertowXnioSsl;
import io.undertow.server.DefaultByteBufferPool;
import io.undertow.server.HttpHandler;
import io.undertow.server.protocol.http.HttpOpenListener;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.xnio.ChannelListener;
import org.xnio.ChannelListeners;
import org.xnio.IoUtils;
import org.xnio.OptionMap;
import org.xnio.Options;
import org.xnio.StreamConnection;
import org.xnio.Xnio;
import org.xnio.XnioWorker;
import org.xnio.channels.AcceptingChannel;
import org.xnio.ssl.SslConnection;

/**
 * Accepts connections, with or without TLS, and gives each to the library's HTTP/1.1. All limits of the library are set here or
 * in {@link Limits}; its own defaults are not used. The listener is put together from parts of the library. The library's
 * complete server would give an empty answer to a request that it cannot read, see {@link MalformedHeadConduit}.
 */
final class HttpListener implements AutoCloseable {

    private static final Logger LOGGER = System.getLogger(HttpListener.class.getName());

    private static final int BUFFER_BYTES = 16 << 10;
    private static final int BUFFERS_OF_THREAD = 4;

    /** Threads of the library, which it takes for handshakes. */
    private static final int TLS_THREADS = Math.max(4, Runtime.getRuntime().availableProcessors());

    /** How long the threads for I/O may take for each step of closing. They never wait, so a step takes no time. */
    private static final long CLOSE_MILLIS = 2_000;

    private final XnioWorker worker;
    private final AcceptingChannel<? extends StreamConnection> accepting;
    private final Connections connections;

    private HttpListener(
            XnioWorker worker, AcceptingChannel<? extends StreamConnection> accepting, Connections connections) {
        this.worker = worker;
        this.accepting = accepting;
        this.connections = connections;
    }

    /** Gives new connections to the library, and closes all that are open. Safe for use by several threads. */
    private static final class Connections implements ChannelListener<StreamConnection> {

        private final HttpOpenListener http;
        private final RequestId ids;
        private volatile boolean isClosed;

        Connections(RequestId ids, HttpHandler handler) {
            this.ids = ids;
            this.http = new HttpOpenListener(
                    new DefaultByteBufferPool(true, BUFFER_BYTES, -1, BUFFERS_OF_THREAD), httpOptions());
            http.setRootHandler(handler);
        }

        @Override
        public void handleEvent(StreamConnection connection) {
            connection
                    .getSinkChannel()
                    .setConduit(
                            new MalformedHeadConduit(connection.getSinkChannel().getConduit(), ids));
            http.handleEvent(connection);
            if (isClosed) { // the library may not have known this connection when it closed all that it knew
                IoUtils.safeClose(connection);
            }
        }

        /** Has each connection closed by its thread for I/O, beside which nothing else happens on that connection there. */
        void close() {
            isClosed = true;
            http.closeConnections();
        }
    }

    /**
     * Begins to accept connections.
     *
     * @throws java.net.BindException if the port is taken or the address is not this machine's
     */
    static HttpListener start(HttpConfig config, RequestId ids, HttpHandler handler) throws IOException {
        Xnio xnio = Xnio.getInstance(HttpListener.class.getClassLoader());
        XnioWorker worker = xnio.createWorker(OptionMap.builder()
                .set(Options.WORKER_IO_THREADS, Math.max(2, Runtime.getRuntime().availableProcessors()))
                .set(Options.WORKER_TASK_CORE_THREADS, TLS_THREADS)
                .set(Options.WORKER_TASK_MAX_THREADS, TLS_THREADS)
                .set(Options.TCP_NODELAY, true)
                .getMap());
        boolean started = false;
        try {
            InetSocketAddress address = new InetSocketAddress(config.address(), config.port());
            Connections connections = new Connections(ids, handler);
            SSLContext keys = config.tls();
            AcceptingChannel<? extends StreamConnection> accepting = keys == null
                    ? worker.createStreamConnectionServer(
                            address, ChannelListeners.openListenerAdapter(connections), socketOptions(false))
                    : new UndertowXnioSsl(xnio, OptionMap.create(Options.USE_DIRECT_BUFFERS, true), keys)
                            .createSslConnectionServer(
                                    worker,
                                    address,
                                    ChannelListeners.<SslConnection>openListenerAdapter(connections),
                                    socketOptions(true));
            accepting.resumeAccepts();
            started = true;
            return new HttpListener(worker, accepting, connections);
        } finally {
            if (!started) {
                worker.shutdownNow();
            }
        }
    }

    private static OptionMap httpOptions() {
        return OptionMap.builder()
                .set(UndertowOptions.BUFFER_PIPELINED_DATA, true)
                .set(UndertowOptions.DECODE_URL, false)
                .set(UndertowOptions.ALLOW_UNESCAPED_CHARACTERS_IN_URL, false)
                .set(UndertowOptions.MAX_HEADER_SIZE, Limits.HEAD_BYTES)
                .set(UndertowOptions.MAX_HEADERS, Limits.HEADERS)
                .set(UndertowOptions.MAX_PARAMETERS, Limits.PARAMETERS)
                .set(UndertowOptions.MAX_COOKIES, 1)
                .set(UndertowOptions.MAX_ENTITY_SIZE, -1L)
                .set(UndertowOptions.MULTIPART_MAX_ENTITY_SIZE, 1L)
                .set(UndertowOptions.REQUEST_PARSE_TIMEOUT, Limits.REQUEST_PARSE_MILLIS)
                .set(UndertowOptions.NO_REQUEST_TIMEOUT, Limits.IDLE_MILLIS)
                .set(UndertowOptions.ENABLE_HTTP2, false)
                .set(UndertowOptions.ALWAYS_SET_DATE, true)
                .set(UndertowOptions.ALLOW_UNKNOWN_PROTOCOLS, false)
                .getMap();
    }

    private static OptionMap socketOptions(boolean isEncrypted) {
        OptionMap.Builder options = OptionMap.builder()
                .set(Options.READ_TIMEOUT, Limits.IDLE_MILLIS)
                .set(Options.WRITE_TIMEOUT, Limits.IDLE_MILLIS)
                .set(Options.CONNECTION_HIGH_WATER, Limits.CONNECTIONS)
                .set(Options.CONNECTION_LOW_WATER, Limits.CONNECTIONS - 64)
                .set(Options.BALANCING_TOKENS, 1)
                .set(Options.BALANCING_CONNECTIONS, 2)
                .set(Options.BACKLOG, 1_024)
                .set(Options.TCP_NODELAY, true)
                .set(Options.REUSE_ADDRESSES, true);
        if (isEncrypted) {
            options.set(Options.USE_DIRECT_BUFFERS, true);
        }
        return options.getMap();
    }

    /** The port that the server listens at. */
    int port() {
        return accepting.getLocalAddress(InetSocketAddress.class).getPort();
    }

    /** Stops listening and closes every connection. The threads for I/O go on, for requests that end now. */
    void closeConnections() {
        IoUtils.safeClose(accepting);
        connections.close();
        awaitIo();
    }

    /** Waits until the threads for I/O have done what they were asked to do before. */
    private void awaitIo() {
        CountDownLatch done = new CountDownLatch(worker.getIoThreadCount());
        for (int i = 0; i < worker.getIoThreadCount(); i++) {
            worker.getIoThread(i).execute(done::countDown);
        }
        await(() -> done.await(CLOSE_MILLIS, TimeUnit.MILLISECONDS));
    }

    /** Ends the threads for I/O, when they have done what they were asked to do before. */
    @Override
    public void close() {
        awaitIo();
        worker.shutdownNow();
        await(() -> worker.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS));
    }

    /** Something that threads for I/O do in time, or not. */
    @FunctionalInterface
    private interface Wait {
        boolean isOver() throws InterruptedException;
    }

    private static void await(Wait wait) {
        try {
            if (!wait.isOver()) {
                LOGGER.log(Level.WARNING, "the threads for I/O are busy when the HTTP server closes");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
