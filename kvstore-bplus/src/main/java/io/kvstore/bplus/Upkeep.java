package io.kvstore.bplus;

import io.kvstore.engine.TableContext;
import io.kvstore.value.HashIndex;
import io.kvstore.value.ValueGarbage;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Background work beside checkpoints: the space of values that are dead comes back, the hash index grows with the table, and
 * values that are scanned get into order.
 * At most one task at a time, under the lock for long work.
 */
final class Upkeep {

    private static final System.Logger LOG = System.getLogger(Upkeep.class.getName());

    /** Segments that only the last checkpoint needs are worth another one when they are this part of what is alive. */
    private static final int PINNED_PART = 4;

    /** Values in fewer segments are not worth being put in order. */
    private static final long LEAST_SEGMENTS = 2;

    /** So much more of a segment has to be dead before a relocation is tried again. */
    private static final int WORTHWHILE_PART = 8;

    /** So many gets of what the index does not know make it worth filling; as many as there are values are enough. */
    private static final long MANY_UNKNOWN = 10_000;

    private static final long LEAST_UNKNOWN = 64;

    private final TableContext context;
    private final ValueStore values;
    private final HashIndex index;
    private final ValueReader reader;
    private final ValueGarbage garbage;
    private final Relocation relocation;
    private final HashIndexBuilder indexBuilder;
    private final Clustering clustering;
    private final Engine engine;
    private final long segmentBytes;
    private final ReentrantLock longWork = new ReentrantLock(true);
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile boolean relocated;
    private volatile long nextDeadBytes;
    private volatile long nextPinnedBytes;
    private volatile boolean stopped;

    /** What this work needs of the engine. */
    interface Engine extends Relocation.Pages {

        /** Gives back the pages and segments that nobody looks at. */
        void reclaimNow();

        /** Makes a checkpoint. */
        void checkpoint() throws IOException;

        /** What waits for being brought into the tree. */
        PutBuffer puts();
    }

    Upkeep(TableContext context, Tree tree, TreeParts parts, ValueReader reader, Engine engine) {
        this.context = context;
        this.values = parts.values();
        this.index = parts.index();
        this.reader = reader;
        this.engine = engine;
        this.segmentBytes = values.segmentBytes();
        this.garbage = ValueGarbage.knownAtOnce(segmentBytes);
        this.relocation = new Relocation(tree, parts, garbage, engine);
        LeafWalk walk = new LeafWalk(tree, parts, engine);
        this.indexBuilder = new HashIndexBuilder(tree, parts, walk, engine.puts());
        this.clustering = new Clustering(tree, parts, relocation, walk);
    }

    /** Held over I/O by checkpoints, by this work, and by whatever must not meet either. */
    ReentrantLock longWork() {
        return longWork;
    }

    /** After a write: hands to the background what is due. */
    void consider() {
        if (isIndexDue() || (!context.readOnly() && (hasDeadValues() || hasPinnedValues()))) {
            schedule();
        }
    }

    /** After a get: the index may know too little. */
    void considerIndex() {
        if (isMuchUnknown()) {
            if (isIndexDue()) {
                schedule();
            } else {
                reader.forgetUnknown();
            }
        }
    }

    /** Before a scan: values may lie in an order that is bad for it. */
    void considerOrder() {
        if (isOrderDue()) {
            schedule();
        }
    }

    /**
     * To write a value once more costs about as much as two or three reads that have to wait for memory. So it is done after
     * scans have waited once for each value: never too early by much, and never too late by much.
     */
    private boolean isOrderDue() {
        return reader.scattered() > values.liveCount()
                && !context.readOnly()
                && values.liveBytes() > LEAST_SEGMENTS * segmentBytes;
    }

    private void schedule() {
        context.background().executeLongOnce(scheduled, this::run);
    }

    private boolean isIndexDue() {
        long keys = values.liveCount();
        boolean knowsLittle = index.isSparse(keys) || !index.isFilled();
        return keys > 0 && (index.wantsMore(keys) || (isMuchUnknown() && knowsLittle));
    }

    private boolean isMuchUnknown() {
        long unknown = reader.unknown();
        return unknown > LEAST_UNKNOWN && unknown > Math.min(MANY_UNKNOWN, values.liveCount());
    }

    private boolean hasDeadValues() {
        long dead = values.deadBytes();
        if (!garbage.isTooMuch(dead, values.liveBytes())) {
            nextDeadBytes = 0;
            return false;
        }
        return dead >= nextDeadBytes;
    }

    private boolean hasPinnedValues() {
        long pinned = values.pinnedBytes();
        if (pinned <= values.liveBytes() / PINNED_PART + PINNED_PART * segmentBytes) {
            nextPinnedBytes = 0;
            return false;
        }
        return pinned >= nextPinnedBytes;
    }

    private void run() {
        boolean isDueAgain = false;
        longWork.lock();
        try {
            if (stopped) {
                return;
            }
            if (isIndexDue()) {
                if (isMuchUnknown()) {
                    index.askFor();
                    reader.forgetUnknown();
                }
                indexBuilder.run(values.liveCount());
            }
            if (!context.readOnly()) {
                giveSpaceBack();
            }
            if (isOrderDue()) {
                try {
                    cluster(true);
                } finally {
                    // also if it failed: not again before scans have waited as often once more
                    reader.forgetScattered();
                }
            }
            // what died meanwhile was told to nobody
            isDueAgain = !context.readOnly() && (hasDeadValues() || hasPinnedValues());
        } catch (IOException e) {
            LOG.log(Level.WARNING, context.directory() + ": upkeep has to be tried again: " + e);
        } finally {
            longWork.unlock();
            scheduled.set(false);
        }
        if (isDueAgain) {
            schedule();
        }
    }

    /**
     * Puts values in the order of their keys; with {@link #longWork} held once, which is let go of now and then.
     *
     * @param again whether those of all segments, if few are not in order
     */
    void cluster(boolean again) throws IOException {
        engine.reclaimNow();
        relocated = true;
        clustering.run(again, new Clustering.Pauses() {
            @Override
            public void afterLeaf() {
                if (longWork.hasQueuedThreads()) {
                    // the lock is fair: whoever waits goes first
                    longWork.unlock();
                    longWork.lock();
                }
            }

            @Override
            public void afterRun() throws IOException {
                relocated = true;
                engine.checkpoint();
                engine.reclaimNow();
            }
        });
    }

    private void giveSpaceBack() throws IOException {
        Set<Long> tried = hasDeadValues() ? relocate(false) : Set.of();
        engine.reclaimNow();
        if (hasPinnedValues()) {
            engine.checkpoint();
        }
        // what else is left is in the segment that grows, damaged, or held by a snapshot: again would not help
        boolean isMoreDue = !tried.isEmpty() && relocation.isMoreDue(tried);
        nextDeadBytes = isMoreDue ? 0 : values.deadBytes() + segmentBytes / WORTHWHILE_PART;
        nextPinnedBytes = values.pinnedBytes() + values.liveBytes() / PINNED_PART + segmentBytes;
    }

    /**
     * Moves the values of the emptiest segments; with {@link #longWork} held.
     *
     * @param all whether to empty every segment that is worth it
     * @return which were due
     */
    Set<Long> relocate(boolean all) throws IOException {
        relocated = true;
        return relocation.run(all);
    }

    /** Whether values were moved since this was called last, so that a checkpoint is worth making without a new operation. */
    boolean takeRelocated() {
        boolean result = relocated;
        relocated = false;
        return result;
    }

    /** The checkpoint that was to hold what was moved failed. */
    void relocatedStill() {
        relocated = true;
    }

    /** Ends soon. */
    void stop() {
        stopped = true;
        relocation.stop();
        indexBuilder.stop();
        clustering.stop();
    }
}
