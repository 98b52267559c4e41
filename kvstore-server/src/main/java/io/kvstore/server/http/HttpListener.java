package io.kvstore.server.http;

import io.kvstore.server.http.chain.MalformedHeadConduit;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.RequestId;
import io.undertow.UndertowOptions;
import io.undertow.connector.ByteBufferPool;
import io.undertow.protocols.ssl.UndertowXnioSsl;
import io.undertow.server.DefaultByteBufferPool;
import io.undertow.server.HttpHandler;
import io.undertow.server.protocol.http.HttpOpenListener;
import java.io.IOException;
import java.net.InetSocketAddress;
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

    private static final int BUFFER_BYTES = 16 << 10;
    private static final int BUFFERS_OF_THREAD = 4;

    private final XnioWorker worker;
    private final AcceptingChannel<? extends StreamConnection> accepting;

    private HttpListener(XnioWorker worker, AcceptingChannel<? extends StreamConnection> accepting) {
        this.worker = worker;
        this.accepting = accepting;
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
                .set(Options.WORKER_TASK_CORE_THREADS, config.workerThreads())
                .set(Options.WORKER_TASK_MAX_THREADS, config.workerThreads())
                .set(Options.TCP_NODELAY, true)
                .getMap());
        boolean started = false;
        try {
            InetSocketAddress address = new InetSocketAddress(config.address(), config.port());
            ChannelListener<StreamConnection> connections = connections(ids, handler);
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
            return new HttpListener(worker, accepting);
        } finally {
            if (!started) {
                worker.shutdownNow();
            }
        }
    }

    private static ChannelListener<StreamConnection> connections(RequestId ids, HttpHandler handler) {
        ByteBufferPool buffers = new DefaultByteBufferPool(true, BUFFER_BYTES, -1, BUFFERS_OF_THREAD);
        HttpOpenListener http = new HttpOpenListener(buffers, httpOptions());
        http.setRootHandler(handler);
        return connection -> {
            connection
                    .getSinkChannel()
                    .setConduit(
                            new MalformedHeadConduit(connection.getSinkChannel().getConduit(), ids));
            http.handleEvent(connection);
        };
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

    /** Stops listening and closes every connection. */
    @Override
    public void close() {
        IoUtils.safeClose(accepting);
        worker.shutdownNow();
    }
}
