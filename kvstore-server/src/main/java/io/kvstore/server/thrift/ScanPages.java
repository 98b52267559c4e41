package io.kvstore.server.thrift;

import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ScanRequest;
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
 * The scans of one connection. When a client has followed a scan to its second page, the pages after that are made ready while
 * the client takes the one before, see {@link PagesAhead}. A page that was made ready is given only to the request that it was
 * made for, and only if a read at that moment would give the same page. Else it is dropped together with the pages behind it,
 * and the page is read anew.
 *
 * <p>Used by the connection's thread, except for {@link #dropIfLate}.
 */
final class ScanPages {

    /** It takes longer to make a smaller page ready than to read it. */
    private static final int LEAST_BYTES = 64 << 10;

    private static final int MOST_SKIPPED = 63;

    private final Shared shared;
    private final FrameOutput answer;
    private final int firstByte;
    private final PageBody body;
    private volatile @Nullable PagesAhead ahead;

    /** The number of pages that are still passed before pages are made ready again, after pages were dropped. */
    private int toSkip;

    private int skipped;

    /**
     * Prepares the scans of a connection.
     *
     * @param answer gathers the connection's answers
     * @param firstByte the first byte of the client's first frame, which tells the protocol
     */
    ScanPages(Shared shared, FrameOutput answer, int firstByte) throws TTransportException {
        this.shared = shared;
        this.answer = answer;
        this.firstByte = firstByte;
        this.body = new PageBody(FrameOutput.apart(shared, FrameOutput.Taking.refusing(shared.budget())), firstByte, 0);
    }

    /** The page that is asked for. Its entries are encoded bytes without objects. It can only be written, and only once. */
    ScanPage page(ScanRequest request) {
        PagesAhead.Made made = ready(request);
        return made != null
                ? new EncodedPage(request, made.page(), made.body())
                : new EncodedPage(request, read(request), body);
    }

    private PagesAhead.@Nullable Made ready(ScanRequest request) {
        PagesAhead from = ahead;
        if (from == null) {
            return null;
        }
        PagesAhead.Made made = from.take(request);
        boolean isCurrent = false;
        try {
            isCurrent = made != null && shared.scans().isCurrent(made.page(), request);
            skipped = isCurrent ? 0 : Math.min(2 * skipped + 1, MOST_SKIPPED);
            toSkip = skipped;
            return isCurrent ? made : null;
        } finally {
            if (made == null || made.following() == null || !isCurrent) {
                ahead = null;
                from.drop();
            }
            if (made != null && !isCurrent) {
                made.body().close();
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

    /** Starts to make pages ready. A client that has come to the second page is likely to want the next ones. */
    private void lookAhead(ScanRequest request, byte @Nullable [] continuation, int bytes) {
        if (ahead != null || continuation == null || !request.isSetContinuation() || bytes < LEAST_BYTES) {
            return;
        }
        if (toSkip > 0) {
            toSkip--;
            return;
        }
        ScanRequest next = request.deepCopy().setContinuation(continuation);
        PagesAhead begun = new PagesAhead(shared, next, firstByte, bytes);
        ahead = begun;
        Thread.startVirtualThread(begun);
    }

    /** Drops pages that were made ready and are not asked for. Called by another thread. */
    void dropIfLate(long nowNanos) {
        PagesAhead made = ahead;
        if (made != null) {
            made.dropIfLate(nowNanos);
        }
    }

    /** Gives memory back. */
    void close() {
        PagesAhead made = ahead;
        ahead = null;
        if (made != null) {
            made.drop();
        }
        body.close();
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
