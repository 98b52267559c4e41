package io.kvstore.server.thrift;

import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.thrift.ServiceError;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.net.SocketOption;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TTransportException;
import org.jspecify.annotations.Nullable;

/**
 * Serves one connection: reads a frame, writes a frame, in turn. The connection is idle while it waits for the first byte of a
 * frame, and busy from there to the end of the answer. An idle connection may be ended at once. A busy one ends itself after
 * its answer when the server is stopping. Another thread checks deadlines ({@link #endIfLate}), so that no read needs a timer.
 *
 * <p>Whatever a client sends, it gets an answer or the connection ends. No exception leaves {@link #run}.
 */
final class Connection implements Runnable {

    private static final Logger LOGGER = System.getLogger(Connection.class.getName());

    /** The field of a result that has the general error. It is the same in every method. */
    private static final TField ERROR_FIELD = new TField("error", TType.STRUCT, (short) 1);

    private final Socket socket;
    private final Shared shared;
    private final @Nullable SSLContext tls;
    private final Session session;
    /** The deadline for the handshake of TLS, and for the client's token where one is needed. */
    private final long greetingDeadlineNanos = System.nanoTime() + Limits.GREETING_NANOS;

    /** The deadline is {@link CallState#NEVER} while the server works on a call of a client that is allowed. */
    private final CallState state;

    /**
     * Bytes of the present call's items and of its answer's values. Those beyond {@link Limits#FREE_BYTES} come out of the
     * budget.
     */
    private int roomBytes;

    /** The items of all lists of the present call. */
    private int items;

    /** The pages of the client's scans; null before its first call. */
    private volatile @Nullable ScanPages pages;

    /** Why the present frame is refused; null if it is not. */
    private @Nullable ProblemException refusal;

    Connection(Socket socket, Shared shared, @Nullable SSLContext tls) {
        this.socket = socket;
        this.shared = shared;
        this.tls = tls;
        this.session = new Session(shared.edge().access());
        this.state = new CallState(tls == null ? within(Limits.IDLE_NANOS) : greetingDeadlineNanos);
    }

    @Override
    public void run() {
        try (socket;
                Socket spoken = spoken()) {
            serve(spoken);
            state.deadline(within(Limits.FRAME_NANOS));
        } catch (IOException | TTransportException e) {
            LOGGER.log(Level.DEBUG, "a connection ended", e);
        } catch (TException | RuntimeException e) {
            LOGGER.log(Level.DEBUG, "a connection sent what is not Thrift", e);
        } finally {
            giveBackRoom();
            session.snapshotIds().forEach(shared.leases()::close);
        }
    }

    /**
     * The socket that calls come from. TLS is a layer above {@link #socket}. Closing that layer waits for a thread that writes,
     * so other threads close the socket below it.
     */
    private Socket spoken() throws IOException {
        if (tls == null) {
            return socket;
        }
        SSLSocket secure = (SSLSocket) tls.getSocketFactory().createSocket(socket, null, socket.getPort(), true);
        secure.setUseClientMode(false);
        secure.startHandshake();
        state.deadline(within(Limits.IDLE_NANOS));
        return secure;
    }

    /** The time after the given nanoseconds. For a client without a token it is the greeting's deadline. */
    private long within(long nanos) {
        return session.isAllowed() ? System.nanoTime() + nanos : greetingDeadlineNanos;
    }

    private void serve(Socket spoken) throws IOException, TException {
        FrameInput input = new FrameInput(spoken.getInputStream(), shared);
        FrameOutput output =
                new FrameOutput(spoken.getOutputStream(), shared, bytes -> state.deadline(within(frameNanos(bytes))));
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
            ScanPages known = pages;
            if (known != null) {
                known.close();
            }
            input.close();
            output.close();
        }
    }

    /** Waits for a frame and reads it. Returns false when the connection is over. */
    private boolean awaitCall(FrameInput input) throws IOException {
        int length = input.awaitFrame();
        if (length < 0 || length > longestFrame() || !state.beginCall(within(frameNanos(length)))) {
            return false;
        }
        refusal = null;
        try {
            input.readFrame(length);
        } catch (ProblemException e) {
            refusal = e;
        }
        state.deadline(session.isAllowed() ? CallState.NEVER : greetingDeadlineNanos);
        return true;
    }

    /** The length beyond which a frame ends the connection. A client without a token has no reason to send a long frame. */
    private int longestFrame() {
        return session.isAllowed() ? Math.max(Limits.REFUSED_FRAME_BYTES, shared.maxFrameBytes()) : Limits.KEPT_BYTES;
    }

    private static long frameNanos(int bytes) {
        return Limits.FRAME_NANOS + bytes * Limits.FRAME_NANOS_PER_BYTE;
    }

    private boolean becomeIdle() {
        return state.endCall(within(Limits.IDLE_NANOS));
    }

    private void takeRoom(int bytes, FrameOutput.Taking taking) {
        int held = overFree(roomBytes);
        int more = overFree(roomBytes + bytes) - held;
        if (more > 0) {
            taking.take(more, held);
        }
        roomBytes += bytes;
    }

    /** Takes the memory of the objects that items of a call become. It is given back with that of the answer. */
    private void takeItems(int more) {
        items += more;
        if (items > Limits.ITEMS_OF_CALL) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.TOO_LARGE,
                    "the lists of the call have more than " + Limits.ITEMS_OF_CALL + " items together",
                    Limits.ITEMS_OF_CALL,
                    items));
        }
        takeRoom(
                more * Limits.ITEM_OBJECTS_BYTES,
                (bytes, held) -> shared.budget()
                        .take(bytes, held, ProblemCode.TOO_LARGE, () -> "the list of " + more + " items"));
    }

    private static int overFree(int bytes) {
        return Math.max(0, bytes - Limits.FREE_BYTES);
    }

    private void giveBackRoom() {
        shared.budget().giveBack(overFree(roomBytes));
        roomBytes = 0;
        items = 0;
    }

    boolean isBusy() {
        return state.isBusy();
    }

    /** Ends the connection unless it is busy. */
    void endIfIdle() {
        if (state.endIfIdle()) {
            closeSocket();
        }
    }

    /** Ends the connection if its deadline has passed. Drops pages that were made ready and are not asked for. */
    void endIfLate(long nowNanos) {
        ScanPages known = pages;
        if (known != null) {
            known.dropIfLate(nowNanos);
        }
        // A call that has arrived meanwhile must not lose its answer, and a snapshot lives as long as its lease says.
        if (state.endIfLate(nowNanos, () -> shared.leases().areAnyOf(session))) {
            closeSocket();
        }
    }

    /** Ends the connection in any state. Its thread notices when it reads or writes. */
    void end() {
        state.end();
        closeSocket();
    }

    <T> T socketOption(SocketOption<T> option) throws IOException {
        return socket.getOption(option);
    }

    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "could not close a connection", e);
        }
    }

    /** The memory of this connection's answers. */
    private final class AnswerRoom implements Reads.Room {

        private final FrameOutput output;

        AnswerRoom(FrameOutput output) {
            this.output = output;
        }

        @Override
        public void take(int bytes) {
            output.expect(bytes + Limits.ITEM_BYTES);
            takeRoom(bytes, FrameOutput.Taking.refusing(shared.budget()));
        }

        @Override
        public void check() {
            shared.budget().check();
        }

        @Override
        public void takeAnyway(int bytes) {
            output.expectAnyway(bytes + Limits.ITEM_BYTES);
            takeRoom(bytes, (more, _) -> shared.budget().takeAnyway(more));
        }
    }

    /** Reads calls, has the service do them, and writes the answers. */
    private final class Dispatch {

        private final TProtocol in;
        private final TProtocol out;
        private final FrameOutput output;
        private final Service service;

        Dispatch(FrameInput input, FrameOutput output, int firstByte) throws TException {
            this.output = output;
            ScanPages scans = new ScanPages(shared, output, firstByte);
            this.service = new Service(shared, session, new AnswerRoom(output), scans);
            pages = scans;
            this.out = LimitedProtocol.writing(output, firstByte);
            this.in = LimitedProtocol.reading(input, firstByte, shared.maxFrameBytes(), Connection.this::takeItems);
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

        /** Answers any method with an error in place of its result. */
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
