package io.kvstore.server.thrift;

import io.kvstore.thrift.ScanRequest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.transport.TTransportException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pages behind one that a client was given, so that they are ready when they are asked for. A thread of its own
 * reads; the connection's thread takes.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>So many pages as there is {@link #room} for are being read or wait. Only who has room reads; who takes a page makes
 *       room.
 *   <li>A page that waits is in {@link #made}, and belongs to whoever removes it from there. Nothing is added once the pages
 *       are unwanted, and who says so removes what is there: so none is left behind.
 *   <li>There is one permit of {@link #ready} for each page that was added, and one more for the end. So whoever waits comes
 *       to an end, and finds nothing if it is the end or what was there is dropped.
 *   <li>What fails while a page is made ready fails nobody: it is the end. The page is read when it is asked for, and fails
 *       then.
 * </ol>
 */
final class PagesAhead implements Runnable {

    private static final Logger LOGGER = System.getLogger(PagesAhead.class.getName());

    /** One is taken while the other is read. */
    private static final int MOST_PAGES = 2;

    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Shared shared;
    private final int firstByte;
    private final Semaphore room = new Semaphore(MOST_PAGES);
    private final Semaphore ready = new Semaphore(0);

    /** Locked by {@code this}. */
    private final Queue<Made> made = new ArrayDeque<>(MOST_PAGES);

    private volatile boolean isUnwanted;
    private volatile boolean isAwaited;
    private volatile long askedNanos = System.nanoTime();

    /** The reader's: what it reads next, and how large that is likely to be. */
    private @Nullable ScanRequest toRead;

    private int expectedBytes;

    /** The connection's: the request that the next page is made for. */
    private @Nullable ScanRequest awaited;

    /**
     * Reads nothing before it is run.
     *
     * @param first what the first page is made for
     * @param firstByte of the client's first frame, which tells the protocol
     * @param expectedBytes how large a page is likely to be
     */
    PagesAhead(Shared shared, ScanRequest first, int firstByte, int expectedBytes) {
        this.shared = shared;
        this.firstByte = firstByte;
        this.toRead = first;
        this.awaited = first;
        this.expectedBytes = expectedBytes;
    }

    /**
     * A page that is ready.
     *
     * @param following asks for the page behind it; null if this is the last one
     */
    record Made(Scans.Page page, PageBody body, @Nullable ScanRequest following) {}

    @Override
    public void run() {
        try {
            while (toRead != null) {
                room.acquireUninterruptibly();
                toRead = isUnwanted ? null : make(toRead);
            }
        } catch (RuntimeException | TTransportException e) {
            LOGGER.log(Level.DEBUG, "a page was not made ready; it is read when it is asked for", e);
        } finally {
            ready.release();
        }
    }

    private @Nullable ScanRequest make(ScanRequest request) throws TTransportException {
        PageBody body = new PageBody(FrameOutput.apart(shared, shared.budget()::takeSpare), firstByte, expectedBytes);
        boolean isMade = false;
        try {
            Scans.Page page = shared.scans().read(request, body, () -> isUnwanted);
            byte[] continuation = page.continuation();
            ScanRequest following =
                    continuation == null ? null : request.deepCopy().setContinuation(continuation);
            expectedBytes = body.bytes();
            isMade = add(new Made(page, body, following));
            return following;
        } finally {
            if (!isMade) {
                body.close();
            }
        }
    }

    /** False if nobody wants it any more. */
    private synchronized boolean add(Made next) {
        if (isUnwanted) {
            return false;
        }
        made.add(next);
        ready.release();
        return true;
    }

    private synchronized @Nullable Made remove() {
        return made.poll();
    }

    /** Waits for the page that a request asks for, which is the caller's then; null if that will not be made, or not for it. */
    @Nullable
    Made take(ScanRequest request) {
        if (!request.equals(awaited)) {
            return null;
        }
        isAwaited = true;
        ready.acquireUninterruptibly();
        askedNanos = System.nanoTime();
        isAwaited = false;
        Made next = remove();
        room.release();
        awaited = next == null ? null : next.following;
        return next;
    }

    /** Gives memory back, once for all, if nobody has asked for a page for a while. Called by another thread. */
    void dropIfLate(long nowNanos) {
        if (!isAwaited && nowNanos - askedNanos > KEPT_NANOS) {
            drop();
        }
    }

    /** Nobody wants these pages any more; if one is being read, the other thread notices. */
    synchronized void drop() {
        isUnwanted = true;
        room.release();
        made.forEach(next -> next.body.close());
        made.clear();
    }
}
