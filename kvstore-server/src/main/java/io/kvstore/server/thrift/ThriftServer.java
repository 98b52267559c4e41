package io.kvstore.server.thrift;

import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Ports;
import io.kvstore.server.metrics.CallMetrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The Thrift edge of an open store: framed transport, strict binary or compact as each connection likes, one thread for each
 * connection. Four kinds of threads: one accepts, one ends what is late, those of the connections, and those that make pages of
 * scans ready.
 */
public final class ThriftServer implements AutoCloseable {

    private static final Logger LOGGER = System.getLogger(ThriftServer.class.getName());
    private static final int BACKLOG = 1_024;
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long DRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final ThriftConfig config;
    private final Shared shared;
    private final ServerSocket listener;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Thread accepting;
    private final Thread watching;
    private volatile boolean closed;

    /**
     * Starts serving.
     *
     * @throws BindException if the port is taken or the address is not this machine's
     */
    public ThriftServer(ThriftConfig config, Edge edge, CallMetrics metrics) throws BindException {
        this.config = config;
        this.shared = Shared.of(edge, config.frameBytes(), metrics);
        this.listener = listen(config);
        this.accepting = Thread.ofPlatform().daemon().name("thrift-accept").start(this::accept);
        this.watching = Thread.ofPlatform().daemon().name("thrift-watch").start(this::watch);
    }

    private static ServerSocket listen(ThriftConfig config) throws BindException {
        try {
            ServerSocket listener = new ServerSocket();
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(config.address(), config.port()), BACKLOG);
            return listener;
        } catch (BindException e) {
            throw Ports.inUse(config.port(), "--thrift-port", e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen for Thrift: " + e.getMessage(), e);
        }
    }

    private void accept() {
        while (!closed && !listener.isClosed()) {
            try {
                begin(listener.accept());
            } catch (IOException e) {
                if (!closed && !listener.isClosed()) {
                    LOGGER.log(Level.WARNING, "a connection could not be accepted: " + e.getMessage());
                    LockSupport.parkNanos(WATCH_NANOS);
                }
            } catch (Throwable e) {
                // One connection's misfortune, such as a lack of memory: the next one must be accepted all the same.
                LOGGER.log(Level.ERROR, "a connection could not be served", e);
                LockSupport.parkNanos(WATCH_NANOS);
            }
        }
    }

    private void begin(Socket socket) throws IOException {
        if (connections.size() >= config.connections()) {
            shared.metrics().refused();
            socket.close();
            return;
        }
        Connection connection = new Connection(socket, shared, config.tls());
        boolean begun = false;
        try {
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            connections.add(connection);
            Thread.ofVirtual().name("thrift").start(() -> {
                try {
                    connection.run();
                } finally {
                    connections.remove(connection);
                }
            });
            begun = true;
        } finally {
            if (!begun) {
                connections.remove(connection);
                socket.close();
            }
        }
    }

    private void watch() {
        while (!closed) {
            LockSupport.parkNanos(WATCH_NANOS);
            try {
                long now = System.nanoTime();
                connections.forEach(connection -> connection.endIfLate(now));
                shared.leases().endIdle(now);
            } catch (Throwable e) {
                // Deadlines must be looked at as long as the server runs.
                LOGGER.log(Level.ERROR, "deadlines could not be looked at", e);
            }
        }
    }

    /** The port that is listened at. */
    public int port() {
        return listener.getLocalPort();
    }

    /** How many connections are open. */
    public int connections() {
        return connections.size();
    }

    /** Whether a call has begun to arrive or is worked on. */
    boolean hasBusyConnection() {
        return connections.stream().anyMatch(Connection::isBusy);
    }

    /** Memory that large frames and answers take at the moment. */
    long budgetUsedBytes() {
        return shared.budget().usedBytes();
    }

    /** Takes no more connections, and ends those that are idle. */
    public void beginDrain() {
        stopListening();
        connections.forEach(Connection::endIfIdle);
    }

    /**
     * Takes no more connections, ends those that are idle, and waits for the calls in flight and for jobs. The lifecycle that
     * the edges share must have been stopped.
     *
     * @return whether all of them ended in time
     */
    public boolean drain(long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        stopListening();
        do {
            connections.forEach(Connection::endIfIdle);
            if (connections.isEmpty()) {
                return shared.operations().awaitEnd(deadline);
            }
            LockSupport.parkNanos(DRAIN_NANOS);
        } while (System.nanoTime() - deadline < 0);
        return false;
    }

    private void stopListening() {
        try {
            listener.close();
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "the listener could not be closed: " + e.getMessage());
        }
    }

    /** Ends every connection. */
    @Override
    public void close() {
        closed = true;
        stopListening();
        LockSupport.unpark(watching);
        LockSupport.unpark(accepting);
        connections.forEach(Connection::end);
        shared.leases().closeAll();
    }
}
