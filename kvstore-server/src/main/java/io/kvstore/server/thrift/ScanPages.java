package io.kvstore.server.thrift;

import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ScanRequest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
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
 *   <li>The body belongs to the thread that makes a page ready from its start to its end, and else to the connection's. One
 *       such thread at a time.
 * </ol>
 *
 * <p>Used by the connection's thread.
 */
final class ScanPages {

    private static final Logger LOGGER = System.getLogger(ScanPages.class.getName());

    /** Smaller pages are read sooner than they are made ready. */
    private static final int LEAST_BYTES = 64 << 10;

    private static final int MOST_PAGES_BETWEEN = 63;

    private final Shared shared;
    private final FrameOutput answer;
    private final PageBody body;
    private @Nullable Ahead ahead;

    /** So many pages are not made ready, because others were dropped. */
    private int left;

    private int pagesBetween;

    /**
     * No scan yet.
     *
     * @param answer where the connection's answers are gathered
     * @param firstByte of the client's first frame, which tells the protocol
     */
    ScanPages(Shared shared, FrameOutput answer, int firstByte) throws TTransportException {
        this.shared = shared;
        this.answer = answer;
        this.body = new PageBody(shared, firstByte);
    }

    /** The page that is asked for. Its entries are in no object: it can be written, once, and nothing else. */
    ScanPage page(ScanRequest request) {
        Scans.Page page = ready(request);
        if (page == null) {
            page = shared.scans().read(request, body, () -> false);
        }
        return new EncodedPage(request, page);
    }

    private Scans.@Nullable Page ready(ScanRequest request) {
        Ahead made = ahead;
        if (made == null) {
            return null;
        }
        ahead = null;
        Scans.Page page = made.take(request);
        if (page == null || !shared.scans().isNew(page, request)) {
            pagesBetween = Math.min(2 * pagesBetween + 1, MOST_PAGES_BETWEEN);
            left = pagesBetween;
            return null;
        }
        pagesBetween = 0;
        return page;
    }

    /** Whoever has come to the second page is likely to want the next one. */
    private void lookAhead(ScanRequest request, byte @Nullable [] continuation, int bytes) {
        if (continuation == null || !request.isSetContinuation() || bytes < LEAST_BYTES) {
            return;
        }
        if (left > 0) {
            left--;
            return;
        }
        ahead = new Ahead(request.deepCopy().setContinuation(continuation));
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

    /** A page that is made ready. */
    private final class Ahead implements Runnable {

        private final ScanRequest request;
        private final Thread thread;
        private volatile boolean isUnwanted;
        private Scans.@Nullable Page page;

        Ahead(ScanRequest request) {
            this.request = request;
            this.thread = Thread.ofVirtual().unstarted(this);
            thread.start();
        }

        @Override
        public void run() {
            try {
                page = shared.scans().read(request, body, () -> isUnwanted);
            } catch (RuntimeException e) {
                LOGGER.log(Level.DEBUG, "a page was not made ready; it is read when it is asked for", e);
            }
        }

        /** The page, if this request is the one it was made for; null if not, or if it could not be read. */
        Scans.@Nullable Page take(ScanRequest wanted) {
            if (!wanted.equals(request)) {
                drop();
                return null;
            }
            await();
            return page;
        }

        void drop() {
            isUnwanted = true;
            await();
        }

        /** The other thread waits for nothing but the store. */
        private void await() {
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

        EncodedPage(ScanRequest request, Scans.Page page) {
            super(new ArrayList<>());
            this.request = request;
            this.page = page;
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
