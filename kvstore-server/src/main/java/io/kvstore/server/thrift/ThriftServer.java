package io.kvstore.server.thrift;

import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Ports;
import io.kvstore.server.edge.Reasons;
import io.kvstore.server.metrics.CallMetrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The Thrift edge of an open store: framed transport, one thread for each connection. Each connection chooses the strict binary
 * or the compact protocol. One thread accepts connections, and one ends connections and leases that are late. Further threads
 * serve the connections, and make pages of scans ready.
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
            throw new UncheckedIOException("cannot listen for Thrift: " + Reasons.of(e), e);
        }
    }

    private void accept() {
        while (!closed && !listener.isClosed()) {
            try {
                begin(listener.accept());
            } catch (IOException e) {
                if (!closed && !listener.isClosed()) {
                    LOGGER.log(Level.WARNING, "a connection could not be accepted: " + e.getMessage());
                    pause();
                }
            } catch (Throwable e) {
                // A failure of one connection, such as a lack of memory, must not prevent the next one.
                LOGGER.log(Level.ERROR, "a connection could not be served", e);
                pause();
            }
        }
    }

    /** Waits for a while, or until the server is closed. The thread is the server's own, so an interrupt means nothing. */
    private static void pause() {
        LockSupport.parkNanos(WATCH_NANOS);
        boolean _ = Thread.interrupted(); // or else the next pause would have no length
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
            KeepAlive.set(socket);
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
            pause();
            try {
                endWhatIsLate(System.nanoTime());
            } catch (Throwable e) {
                // Deadlines must be checked as long as the server runs.
                LOGGER.log(Level.ERROR, "deadlines could not be looked at", e);
            }
        }
    }

    /** Ends snapshots and connections whose time is over. */
    void endWhatIsLate(long nowNanos) {
        shared.leases().endIdle(nowNanos);
        connections.forEach(connection -> connection.endIfLate(nowNanos));
    }

    /** The port that the server listens at. */
    public int port() {
        return listener.getLocalPort();
    }

    /** The number of open connections. */
    public int connections() {
        return connections.size();
    }

    /** Whether there is a call that has begun to arrive or is being answered. */
    boolean hasBusyConnection() {
        return connections.stream().anyMatch(Connection::isBusy);
    }

    /** An option of the sockets of all connections. */
    <T> List<T> socketOptions(SocketOption<T> option) throws IOException {
        List<T> values = new ArrayList<>();
        for (Connection connection : connections) {
            values.add(connection.socketOption(option));
        }
        return values;
    }

    /** Memory that large frames and answers take now. */
    long budgetUsedBytes() {
        return shared.budget().usedBytes();
    }

    /** Stops accepting connections, and ends the idle ones. */
    public void beginDrain() {
        stopListening();
        connections.forEach(Connection::endIfIdle);
    }

    /**
     * Stops accepting connections, ends the idle ones, and waits for the calls in flight. The shared lifecycle
     * must have been stopped before.
     *
     * @return whether all of them ended in time
     * @throws InterruptedException if the thread is interrupted while calls are in flight
     */
    public boolean drain(long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        stopListening();
        do {
            connections.forEach(Connection::endIfIdle);
            if (connections.isEmpty()) {
                return true;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while " + connections.size() + " connections are busy");
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
