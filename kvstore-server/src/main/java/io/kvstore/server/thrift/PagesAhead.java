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
 * Reads the pages that follow one that a client got, so that they are ready when they are asked for. A thread of its own reads
 * pages, and the connection's thread takes them.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>At most {@link #MOST_PAGES} pages are being read or wait to be taken. The reader acquires a permit of {@link #room}
 *       before it reads a page. {@link #take} gives a permit back.
 *   <li>A page that waits is in {@link #made}, and belongs to the thread that removes it from there. {@link #drop} marks the
 *       pages as unwanted and removes those that wait. No page is added after that, so none is left behind.
 *   <li>{@link #ready} gets one permit for each page that was added, and one for the end of the reading. So a thread that waits
 *       always goes on. It finds no page if the reading has ended or the pages were dropped.
 *   <li>A failure to make a page ready ends the reading and is not reported. The page is read when it is asked for, and fails
 *       then.
 * </ol>
 */
final class PagesAhead implements Runnable {

    private static final Logger LOGGER = System.getLogger(PagesAhead.class.getName());

    /** Two, so that one page is taken while the next one is read. */
    private static final int MOST_PAGES = 2;

    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Shared shared;
    private final int firstByte;
    private final Semaphore room = new Semaphore(MOST_PAGES);
    private final Semaphore ready = new Semaphore(0);

    /** Guarded by {@code this}. */
    private final Queue<Made> made = new ArrayDeque<>(MOST_PAGES);

    private volatile boolean isUnwanted;
    private volatile boolean isAwaited;
    private volatile long askedNanos = System.nanoTime();

    /** Used by the reader only: the page that it reads next, and the size that the page is likely to have. */
    private @Nullable ScanRequest toRead;

    private int expectedBytes;

    /** Used by the connection only: the request that the next page is made for. Null if there is no next page. */
    private @Nullable ScanRequest awaited;

    /**
     * Prepares the reading, which begins when this is run.
     *
     * @param first the request that the first page is made for
     * @param firstByte the first byte of the client's first frame, which tells the protocol
     * @param expectedBytes the size that a page is likely to have
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
     * @param following the request for the page behind it; null if this page is the last one
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
        PageBody body = new PageBody(
                FrameOutput.apart(shared, (bytes, _) -> shared.budget().takeSpare(bytes)), firstByte, expectedBytes);
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

    /** Adds a page. Returns false if the pages are unwanted. */
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

    /**
     * Waits for the page that a request asks for. The page belongs to the caller then. Null if there is no further page, or if
     * the next page is made for another request.
     */
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

    /** Drops the pages for good if no page was asked for in the last {@code KEPT_NANOS}. Called by another thread. */
    void dropIfLate(long nowNanos) {
        if (!isAwaited && nowNanos - askedNanos > KEPT_NANOS) {
            drop();
        }
    }

    /** Drops the pages. If a page is being read, the reader notices that it is unwanted. */
    synchronized void drop() {
        isUnwanted = true;
        room.release();
        made.forEach(next -> next.body.close());
        made.clear();
    }
}
