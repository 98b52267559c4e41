package io.kvstore.value.segment;

import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.HintCounter;
import io.kvstore.engine.TableContext;
import io.kvstore.error.Notices;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Segments that were written past the system's cache of files and are not read yet. A value that the cache does not have makes
 * its reader wait for the disk. After {@link #WARM_AFTER_READS} reads of single values, which take about as long as reading
 * the whole segment, a background task reads the whole segment into the cache. It does so for one segment after the other. The
 * bytes only fill the cache and are not checked here; each reader of a value checks it.
 */
public final class ColdSegments {

    /** A disk takes about 0.1 ms to read a page, and 15 to 100 ms to read 64 MiB. */
    private static final int WARM_AFTER_READS = 128;

    private static final int PIECE_BYTES = 256 << 10;

    private final TableContext context;
    private final Queue<Cold> due = new ConcurrentLinkedQueue<>();
    private final BackgroundTask warming;

    public ColdSegments(TableContext context) {
        this.context = context;
        this.warming = new BackgroundTask(
                context.background().longWork(), context.background().waiter(), this::warmNext);
    }

    /** One segment. */
    final class Cold {

        private final String path;
        private final AtomicBoolean isDue = new AtomicBoolean();

        private final HintCounter reads = new HintCounter();

        private Cold(String path) {
            this.path = path;
        }

        /** Notes that a value is read. Returns true when the segment has had enough reads, so that no more need be noted. */
        boolean noteRead() {
            reads.increment();
            if (reads.get() < WARM_AFTER_READS) {
                return false;
            }
            if (isDue.compareAndSet(false, true)) {
                due.add(this);
                warming.requestAgain();
            }
            return true;
        }
    }

    /** A new entry for a segment of which some bytes were written past the cache. */
    Cold of(String path) {
        return new Cold(path);
    }

    private void warmNext() {
        Cold next = due.poll();
        if (next != null) {
            warm(next.path);
            warming.requestAgain(); // so that other long work has its turn between two segments
        }
    }

    private void warm(String path) {
        byte[] piece = new byte[PIECE_BYTES];
        try (StorageFile file = context.storage().openReadOnly(path)) {
            long at = 0;
            int count = 0;
            while (count >= 0 && !warming.isClosed()) {
                at += count;
                count = file.read(ByteBuffer.wrap(piece), at);
            }
        } catch (IOException e) {
            // the file may be gone; a reader of a value reports the error
            Notices.debug(ColdSegments.class, path, "it is not read as a whole", e);
        }
    }

    /** Waits for the running task. No segment is read after that. */
    public void close() {
        warming.close();
    }
}
