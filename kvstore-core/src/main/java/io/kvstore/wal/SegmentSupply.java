package io.kvstore.wal;

import io.kvstore.error.DiskFullException;
import io.kvstore.error.StorageException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sees to it that a prepared segment exists when the current one is full. A background thread prepares the next segments ahead.
 * Correctness does not depend on it: if no thread is available, or the disk is full, the writer that needs a segment prepares
 * it.
 */
final class SegmentSupply {

    private static final int ENOUGH = 2;

    private final LogConfig config;
    private final SegmentPool pool;
    private final LogCounters counters;
    private final AtomicBoolean preparing = new AtomicBoolean();

    /** Number of segments to prepare: 1 while the log may never need another, {@link #ENOUGH} once half of one is written. */
    private volatile int wanted = 1;

    SegmentSupply(LogConfig config, SegmentPool pool, LogCounters counters) {
        this.config = config;
        this.pool = pool;
        this.counters = counters;
    }

    /** Has segments prepared ahead if too few are ready. Takes no lock for long and throws nothing. */
    void prepareAhead() {
        if (pool.readyCount() < ENOUGH && !pool.isFull()) {
            config.background().executeOnce(preparing, this::prepare);
        }
    }

    /** Has more segments prepared ahead from now on, as they are needed soon. */
    void hurry() {
        if (wanted != ENOUGH) {
            wanted = ENOUGH;
        }
        prepareAhead();
    }

    private void prepare() {
        try {
            pool.prepare(wanted, 0);
        } catch (NoSpaceException e) {
            // writers get this error in requireSegment; the spare, if any, serves removals until then
            counters.prepareFailed();
        } catch (IOException e) {
            counters.prepareFailed();
        } finally {
            preparing.set(false);
        }
    }

    /**
     * Makes sure that a segment with room for {@code bytes} is ready, by I/O if none is. False if the log has reached its
     * limit.
     *
     * @param maySpare whether it may be the spare, which is set aside for a full disk
     * @throws DiskFullException if the disk is full
     */
    boolean requireSegment(long bytes, boolean maySpare) {
        return pool.has(bytes, maySpare) || prepareNow(bytes, maySpare);
    }

    private boolean prepareNow(long bytes, boolean maySpare) {
        try {
            return pool.prepare(ENOUGH, bytes) || pool.has(bytes, maySpare);
        } catch (NoSpaceException e) {
            if (!pool.has(bytes, maySpare)) {
                throw new DiskFullException(
                        "the disk has no room for another log segment; free some space and write again (removals use a"
                                + " spare)",
                        e);
            }
            return true;
        } catch (IOException e) {
            throw new StorageException("a log segment could not be prepared: " + e.getMessage(), e);
        }
    }
}
