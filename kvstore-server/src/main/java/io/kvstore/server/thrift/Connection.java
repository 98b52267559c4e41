package io.kvstore.server.thrift;

import io.kvstore.server.edge.ProblemException;
import io.kvstore.thrift.ServiceError;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLSocket;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;
import org.jspecify.annotations.Nullable;

/**
 * One connection: a frame in, a frame out, in turn. It is idle while it waits for the first byte of a frame, and busy from
 * there to the end of the answer. An idle one may be ended at once; a busy one ends itself after its answer when the server
 * is stopping. Deadlines are looked at from outside ({@link #endIfLate}), so that no read needs a timer.
 *
 * <p>Whatever a client sends, it gets an answer or the connection ends; no exception leaves {@link #run}.
 */
final class Connection implements Runnable {

    private static final Logger LOGGER = System.getLogger(Connection.class.getName());
    private static final int BINARY = 0x80;
    private static final int COMPACT = 0x82;

    /** What the fields of an item take around its bytes, at most. */
    private static final int ITEM_BYTES = 32;

    /** The field of a result that every method has its general error in. */
    private static final TField ERROR_FIELD = new TField("error", TType.STRUCT, (short) 1);

    private enum State {
        IDLE,
        BUSY,
        ENDED
    }

    private final Socket socket;
    private final Shared shared;
    private final Session session;
    private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
    private int roomBytes;

    /** Why the present frame is not worked on; null when it is. */
    private @Nullable ProblemException refusal;

    /** When it ends if nothing happens; {@link Long#MAX_VALUE} while the server works. Set by its thread, read by others. */
    private volatile long deadlineNanos;

    Connection(Socket socket, Shared shared) {
        this.socket = socket;
        this.shared = shared;
        this.session = new Session(shared.edge().access());
        this.deadlineNanos = System.nanoTime() + (socket instanceof SSLSocket ? Limits.GREETING_NANOS : idleNanos());
    }

    @Override
    public void run() {
        try (socket) {
            if (socket instanceof SSLSocket secure) {
                secure.startHandshake();
                deadlineNanos = System.nanoTime() + idleNanos();
            }
            serve();
        } catch (IOException | TTransportException e) {
            LOGGER.log(Level.DEBUG, "a connection ended", e);
        } catch (TException | RuntimeException e) {
            LOGGER.log(Level.DEBUG, "a connection sent what is not Thrift", e);
        } finally {
            session.snapshotIds().forEach(shared.leases()::close);
            giveBackRoom();
        }
    }

    private void serve() throws IOException, TException {
        FrameInput input = new FrameInput(socket.getInputStream(), shared);
        FrameOutput output = new FrameOutput(socket.getOutputStream(), shared, this::expectTaking);
        try {
            Dispatch dispatch = null;
            while (awaitCall(input)) {
                if (dispatch == null) {
                    dispatch = new Dispatch(input, output, input.firstByte());
                }
                dispatch.answer();
                giveBackRoom();
                if (session.isHopeless() || shared.edge().lifecycle().isStopping() || !becomeIdle()) {
                    return;
                }
            }
        } finally {
            input.close();
            output.close();
        }
    }

    /** Waits for a frame and reads it; false when the connection is over. */
    private boolean awaitCall(FrameInput input) throws IOException {
        int length = input.awaitFrame();
        if (length < 0 || length > Limits.REFUSED_FRAME_BYTES || !state.compareAndSet(State.IDLE, State.BUSY)) {
            return false;
        }
        deadlineNanos = System.nanoTime() + frameNanos(length);
        refusal = null;
        try {
            input.readFrame(length);
        } catch (ProblemException e) {
            refusal = e;
        }
        deadlineNanos = Long.MAX_VALUE;
        return true;
    }

    private static long frameNanos(int bytes) {
        return Limits.FRAME_NANOS + bytes * Limits.FRAME_NANOS_PER_BYTE;
    }

    private void expectTaking(int bytes) {
        deadlineNanos = System.nanoTime() + frameNanos(bytes);
    }

    private long idleNanos() {
        return session.isAllowed() ? Limits.IDLE_NANOS : Limits.GREETING_NANOS;
    }

    private boolean becomeIdle() {
        deadlineNanos = System.nanoTime() + idleNanos();
        return state.compareAndSet(State.BUSY, State.IDLE);
    }

    private void takeRoom(FrameOutput output, int bytes) {
        output.expect(bytes + ITEM_BYTES);
        if (roomBytes + bytes > Limits.FREE_BYTES) {
            shared.budget().take(bytes);
            roomBytes += bytes;
        }
    }

    private void giveBackRoom() {
        shared.budget().giveBack(roomBytes);
        roomBytes = 0;
    }

    boolean isBusy() {
        return state.get() == State.BUSY;
    }

    /** Ends the connection unless it is busy. */
    void endIfIdle() {
        if (state.compareAndSet(State.IDLE, State.ENDED)) {
            end();
        }
    }

    /** Ends the connection if its deadline has passed. */
    void endIfLate(long nowNanos) {
        long deadline = deadlineNanos;
        if (deadline != Long.MAX_VALUE && nowNanos - deadline > 0) {
            end();
        }
    }

    /** Ends the connection, whatever it does. Its thread notices when it reads or writes. */
    void end() {
        state.set(State.ENDED);
        try {
            socket.close();
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "could not close a connection", e);
        }
    }

    /** Finds what a call asks for and has it done. */
    private final class Dispatch {

        private final TProtocol in;
        private final TProtocol out;
        private final FrameOutput output;
        private final Service service;

        Dispatch(FrameInput input, FrameOutput output, int firstByte) throws TException {
            this.output = output;
            this.service = new Service(shared, session, bytes -> takeRoom(output, bytes));
            this.in = protocol(input, firstByte);
            this.out = protocol(output, firstByte);
        }

        private TProtocol protocol(TTransport transport, int firstByte) throws TException {
            int most = shared.maxFrameBytes();
            return switch (firstByte) {
                case BINARY -> new TBinaryProtocol(transport, most, most, true, true);
                case COMPACT -> new TCompactProtocol(transport, most, most);
                default ->
                    throw new TTransportException(
                            TTransportException.CORRUPTED_DATA, "neither strict binary nor compact");
            };
        }

        void answer() throws TException {
            in.reset();
            out.reset();
            TMessage message = in.readMessageBegin();
            long begunNanos = System.nanoTime();
            try {
                answer(message);
            } catch (ProblemException e) {
                output.drop();
                out.reset();
                answer(message, Errors.of(e));
            }
            shared.metrics().answered(Methods.named(message.name) == null ? "unknown" : message.name, begunNanos);
        }

        private void answer(TMessage message) throws TException {
            if (refusal != null) {
                throw refusal;
            }
            Methods.Method method = Methods.named(message.name);
            if (method == null) {
                TProtocolUtil.skip(in, TType.STRUCT);
                unknownMethod(message);
            } else {
                method.answer(message.seqid, in, out, service);
            }
        }

        private void unknownMethod(TMessage message) throws TException {
            out.writeMessageBegin(new TMessage(message.name, TMessageType.EXCEPTION, message.seqid));
            new TApplicationException(TApplicationException.UNKNOWN_METHOD, "this server has no such method")
                    .write(out);
            out.writeMessageEnd();
            out.getTransport().flush();
        }

        /** The error in place of any method's result. */
        private void answer(TMessage message, ServiceError error) throws TException {
            out.writeMessageBegin(new TMessage(message.name, TMessageType.REPLY, message.seqid));
            out.writeStructBegin(new TStruct("result"));
            out.writeFieldBegin(ERROR_FIELD);
            error.write(out);
            out.writeFieldEnd();
            out.writeFieldStop();
            out.writeStructEnd();
            out.writeMessageEnd();
            out.getTransport().flush();
        }
    }
}
