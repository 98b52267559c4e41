package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import io.kvstore.thrift.ConditionFailed;
import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ServiceError;
import java.io.IOException;
import java.net.SocketTimeoutException;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TTransportException;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the server, for one call at a time. A failure that is not an answer of the server breaks the connection. A
 * broken connection has to be closed and is not used again. Other threads may call only {@link #close} and {@link
 * #closeIfOverdue}.
 */
final class Connection implements AutoCloseable {

    private static final int MAX_CONTAINER_ITEMS = 1_000_000;

    private final ClientOptions options;
    private final Sockets sockets;
    private final TSocket transport;
    private final LimitedFrames frames;
    private final NamedCalls service;
    private long usedNanos = System.nanoTime();
    private boolean broken;
    private boolean peerGone;

    /** The deadline of the call under way; null if there is none. The watch of the pool reads it. */
    private volatile @Nullable Deadline deadline;

    private Connection(ClientOptions options, Sockets sockets) throws TTransportException {
        this.options = options;
        this.sockets = sockets;
        this.transport = new TSocket(sockets.used());
        transport.setMaxMessageSize(options.maxFrameBytes());
        this.frames = new LimitedFrames(transport, options.maxFrameBytes());
        this.service = new NamedCalls(
                new TBinaryProtocol(frames, options.maxFrameBytes(), MAX_CONTAINER_ITEMS, true, true), frames);
    }

    /** Connects. If the options have a token, shows it to the server. */
    static Connection open(ClientOptions options, Deadline deadline) {
        Deadline connected = deadline.atMost(options.connectTimeoutMillis());
        Connection connection = connect(options, connected);
        String token = options.token();
        if (token != null) {
            VoidCall authenticate = service -> service.authenticate(token);
            try {
                connection.call(authenticate.asCall(), Purpose.PREPARE, connected);
            } catch (KVClientException e) {
                connection.close();
                throw e;
            }
        }
        return connection;
    }

    private static Connection connect(ClientOptions options, Deadline deadline) {
        try {
            return new Connection(options, Sockets.open(options, deadline));
        } catch (IOException e) {
            throw Failures.notConnected(options, e);
        } catch (TTransportException e) {
            throw Failures.notSent(e, false);
        }
    }

    /** Makes one call. The deadline bounds its sending and its answer. */
    <T> T call(Call<T> call, Purpose purpose, Deadline until) {
        boolean answered = false;
        deadline = until;
        frames.begin();
        try {
            transport.setSocketTimeout(until.remainingMillis());
            T result = call.on(service);
            answered = true;
            return result;
        } catch (KVClientException e) {
            answered = true; // an argument is not valid, so nothing of the call was written
            throw e;
        } catch (ServiceError e) {
            answered = true;
            // A server that is stopping will end its connections.
            peerGone = e.getCode() == ErrorCode.STOPPING;
            broken = peerGone;
            throw Failures.of(e);
        } catch (ConditionFailed e) {
            answered = true;
            throw Failures.of(e);
        } catch (TApplicationException e) {
            throw Failures.notUnderstood(e, service.method, purpose);
        } catch (TException e) {
            throw failure(e, purpose, until);
        } finally {
            deadline = null;
            usedNanos = System.nanoTime();
            broken = broken || !answered;
        }
    }

    private KVClientException failure(TException cause, Purpose purpose, Deadline until) {
        if (frames.isTooLarge()) {
            return Failures.tooLarge(options.maxFrameBytes());
        }
        // When the watch closes a connection because its time is over, that looks like a failure of the network.
        boolean timedOut = cause.getCause() instanceof SocketTimeoutException || until.isOver();
        peerGone = !timedOut && Failures.isPeerGone(cause);
        return frames.isSent() ? Failures.lost(cause, purpose, timedOut) : Failures.notSent(cause, timedOut);
    }

    /** Whether the server answers over this connection. If not, the connection is broken. */
    boolean answers(Deadline until) {
        VoidCall ping = KVStoreService.Iface::ping;
        try {
            return call(ping.asCall(), Purpose.PREPARE, until);
        } catch (KVClientException e) {
            broken = true;
            return false;
        }
    }

    /** Whether the connection must not be used again. */
    boolean isBroken() {
        return broken;
    }

    /** Whether the server ended the connection. Then other connections have probably ended too. */
    boolean isPeerGone() {
        return peerGone;
    }

    /** The time since the end of the last call. */
    long idleNanos() {
        return System.nanoTime() - usedNanos;
    }

    /** Ends the call under way if its time is over. A socket has no timeout for writing. */
    void closeIfOverdue() {
        Deadline until = deadline;
        if (until != null && until.isOver()) {
            close();
        }
    }

    /** Closes the connection. A call under way fails. */
    @Override
    public void close() {
        try {
            // Closing the TLS socket would send a farewell, and sending can block.
            sockets.plain().close();
        } catch (IOException e) {
            // The connection is not used again, so its failure does not matter.
        }
    }

    /** The calls of a connection. It knows the method of the latest one, and reads pages without the generated code. */
    private static final class NamedCalls extends KVStoreService.Client {

        private final LimitedFrames frames;
        private String method = "";

        NamedCalls(TProtocol protocol, LimitedFrames frames) {
            super(protocol);
            this.frames = frames;
        }

        @Override
        protected void sendBase(String methodName, TBase<?, ?> args) throws TException {
            method = methodName;
            super.sendBase(methodName, args);
        }

        @Override
        public ScanPage recvScan() throws TException {
            ScanAnswer answer = new ScanAnswer(frames);
            receiveBase(answer, "scan");
            ScanPage page = answer.getSuccess();
            if (page != null) {
                return page;
            }
            ServiceError error = answer.getError();
            throw error != null
                    ? error
                    : new TApplicationException(TApplicationException.MISSING_RESULT, "scan has no result");
        }
    }
}
