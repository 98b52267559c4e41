package io.kvstore.server.thrift;

import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ScanRequest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TTransportException;
import org.jspecify.annotations.Nullable;

/**
 * The scans of one connection. When a client has followed a scan to its second page, the page after that is made ready while
 * the client takes this one, by a thread of its own.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A page that was made ready is given only to the request that it was made for, and only if the table has not changed
 *       since before it was read: so it is what a page that is read now would be. Else it is dropped, and read now.
 *   <li>What fails while a page is made ready fails nobody. The page is read when it is asked for, and fails then.
 *   <li>A page that is made ready has a body of its own. It belongs to the thread that reads it until the page is
 *       {@link State#READY}, and then to whoever changes that; who drops it gives its memory back.
 *   <li>A page that is not asked for is dropped after a second, and takes memory only while much of it is free.
 * </ol>
 *
 * <p>Used by the connection's thread, but for {@link #dropIfLate}.
 */
final class ScanPages {

    private static final Logger LOGGER = System.getLogger(ScanPages.class.getName());

    /** Smaller pages are read sooner than they are made ready. */
    private static final int LEAST_BYTES = 64 << 10;

    private static final int MOST_SKIPPED = 63;
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Shared shared;
    private final FrameOutput answer;
    private final int firstByte;
    private final PageBody body;
    private volatile @Nullable Ahead ahead;

    /** So many pages are not made ready, because others were dropped. */
    private int toSkip;

    private int skipped;

    /**
     * No scan yet.
     *
     * @param answer where the connection's answers are gathered
     * @param firstByte of the client's first frame, which tells the protocol
     */
    ScanPages(Shared shared, FrameOutput answer, int firstByte) throws TTransportException {
        this.shared = shared;
        this.answer = answer;
        this.firstByte = firstByte;
        this.body = new PageBody(FrameOutput.apart(shared, shared.budget()::take), firstByte, 0);
    }

    /** The page that is asked for. Its entries are in no object: it can be written, once, and nothing else. */
    ScanPage page(ScanRequest request) {
        Ahead made = ahead;
        ahead = null;
        Scans.Page ready = made == null ? null : ready(made, request);
        return made != null && ready != null
                ? new EncodedPage(request, ready, made.body)
                : new EncodedPage(request, read(request), body);
    }

    private Scans.@Nullable Page ready(Ahead made, ScanRequest request) {
        boolean isCurrent = false;
        try {
            Scans.Page page = made.request.equals(request) ? made.take() : null;
            isCurrent = page != null && shared.scans().isCurrent(page, request);
            skipped = isCurrent ? 0 : Math.min(2 * skipped + 1, MOST_SKIPPED);
            toSkip = skipped;
            return isCurrent ? page : null;
        } finally {
            if (!isCurrent) {
                made.drop();
            }
        }
    }

    private Scans.Page read(ScanRequest request) {
        boolean isRead = false;
        try {
            Scans.Page page = shared.scans().read(request, body, () -> false);
            isRead = true;
            return page;
        } finally {
            if (!isRead) {
                body.close();
            }
        }
    }

    /** Whoever has come to the second page is likely to want the next one. */
    private void lookAhead(ScanRequest request, byte @Nullable [] continuation, int bytes) throws TTransportException {
        if (continuation == null || !request.isSetContinuation() || bytes < LEAST_BYTES) {
            return;
        }
        if (toSkip > 0) {
            toSkip--;
            return;
        }
        PageBody next = new PageBody(FrameOutput.apart(shared, shared.budget()::takeSpare), firstByte, bytes);
        Ahead begun = new Ahead(request.deepCopy().setContinuation(continuation), next);
        ahead = begun;
        begun.thread.start();
    }

    /** Drops a page that was made ready and is not asked for. Called by another thread. */
    void dropIfLate(long nowNanos) {
        Ahead made = ahead;
        if (made != null && nowNanos - made.begunNanos > KEPT_NANOS) {
            made.dropIfReady();
        }
    }

    /** Gives memory back. */
    void close() {
        Ahead made = ahead;
        ahead = null;
        if (made != null) {
            made.drop();
        }
        body.close();
    }

    private enum State {
        READING,
        READY,
        TAKEN,
        DROPPED
    }

    /** A page that is made ready. */
    private final class Ahead implements Runnable {

        private final ScanRequest request;
        private final PageBody body;
        private final Thread thread = Thread.ofVirtual().unstarted(this);
        private final long begunNanos = System.nanoTime();
        private final AtomicReference<State> state = new AtomicReference<>(State.READING);
        private Scans.@Nullable Page page;

        Ahead(ScanRequest request, PageBody body) {
            this.request = request;
            this.body = body;
        }

        @Override
        public void run() {
            try {
                page = shared.scans().read(request, body, () -> state.get() == State.DROPPED);
            } catch (RuntimeException e) {
                LOGGER.log(Level.DEBUG, "a page was not made ready; it is read when it is asked for", e);
            } finally {
                if (page == null || !state.compareAndSet(State.READING, State.READY)) {
                    state.set(State.DROPPED);
                    body.close();
                }
            }
        }

        /** Waits for the page, which is the caller's then; null if there is none. */
        Scans.@Nullable Page take() {
            boolean isInterrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
            return state.compareAndSet(State.READY, State.TAKEN) ? page : null;
        }

        void dropIfReady() {
            if (state.compareAndSet(State.READY, State.DROPPED)) {
                body.close();
            }
        }

        /** Nobody wants it any more; if it is still being read, the other thread notices. */
        void drop() {
            State before = state.getAndSet(State.DROPPED);
            if (before == State.READY || before == State.TAKEN) {
                body.close();
            }
        }
    }

    /** A page whose entries are encoded. */
    private final class EncodedPage extends ScanPage {

        private static final long serialVersionUID = 1L;
        private static final TStruct STRUCT = new TStruct("ScanPage");
        private static final TField ENTRIES =
                new TField("entries", TType.LIST, ScanPage._Fields.ENTRIES.getThriftFieldId());
        private static final TField CONTINUATION =
                new TField("continuation", TType.STRING, ScanPage._Fields.CONTINUATION.getThriftFieldId());

        private final transient ScanRequest request;
        private final transient Scans.Page page;
        private final transient PageBody body;

        EncodedPage(ScanRequest request, Scans.Page page, PageBody body) {
            super(new ArrayList<>());
            this.request = request;
            this.page = page;
            this.body = body;
        }

        @Override
        public void write(TProtocol out) throws TException {
            int bytes = body.bytes();
            byte[] continuation = page.continuation();
            out.writeStructBegin(STRUCT);
            out.writeFieldBegin(ENTRIES);
            out.writeListBegin(new TList(TType.STRUCT, body.entries()));
            body.moveTo(answer);
            out.writeListEnd();
            out.writeFieldEnd();
            if (continuation != null) {
                out.writeFieldBegin(CONTINUATION);
                out.writeBinary(ByteBuffer.wrap(continuation));
                out.writeFieldEnd();
            }
            out.writeFieldStop();
            out.writeStructEnd();
            lookAhead(request, continuation, bytes);
        }
    }
}
