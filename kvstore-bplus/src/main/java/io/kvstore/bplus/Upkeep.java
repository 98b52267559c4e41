package io.kvstore.bplus;

import io.kvstore.engine.TableContext;
import io.kvstore.value.ValueGarbage;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Background work beside checkpoints: the space of values that are dead comes back, and the hash index grows with the table.
 * At most one task at a time, under the lock for long work.
 */
final class Upkeep {

    private static final System.Logger LOG = System.getLogger(Upkeep.class.getName());

    /** Segments that only the last checkpoint needs are worth another one when they are this part of what is alive. */
    private static final int PINNED_PART = 4;

    /** So much more of a segment has to be dead before a relocation is tried again. */
    private static final int WORTHWHILE_PART = 8;

    /** So many gets of what the index does not know make it worth filling. */
    private static final long MANY_UNKNOWN = 10_000;

    private final TableContext context;
    private final ValueStore values;
    private final HashIndex index;
    private final ValueReader reader;
    private final Relocation relocation;
    private final HashIndexBuilder indexBuilder;
    private final Engine engine;
    private final long segmentBytes;
    private final ReentrantLock longWork = new ReentrantLock();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile boolean relocated;
    private volatile long nextDeadBytes;
    private volatile long nextPinnedBytes;

    /** What this work needs of the engine. */
    interface Engine extends Relocation.Pages {

        /** Gives back the pages and segments that nobody looks at. */
        void reclaimNow();

        /** Makes a checkpoint. */
        void checkpoint() throws IOException;
    }

    Upkeep(TableContext context, Tree tree, TreeParts parts, ValueReader reader, Engine engine) {
        this.context = context;
        this.values = parts.values();
        this.index = parts.index();
        this.reader = reader;
        this.engine = engine;
        this.segmentBytes = values.segmentBytes();
        this.relocation = new Relocation(tree, parts, new ValueGarbage(segmentBytes), engine);
        this.indexBuilder = new HashIndexBuilder(tree, parts, engine);
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
        if (reader.unknown() > MANY_UNKNOWN) {
            if (isIndexDue()) {
                schedule();
            } else {
                reader.forgetUnknown();
            }
        }
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            context.background().execute(this::run);
        }
    }

    private boolean isIndexDue() {
        long keys = values.liveCount();
        boolean knowsLittle = index.isSparse(keys) || !index.isFilled();
        return keys > 0 && (index.wantsMore(keys) || (reader.unknown() > MANY_UNKNOWN && knowsLittle));
    }

    private boolean hasDeadValues() {
        long dead = values.deadBytes();
        if (dead <= ValueGarbage.MAX_DEAD_SHARE * values.liveBytes() + segmentBytes / 2.0) {
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
        longWork.lock();
        try {
            if (isIndexDue()) {
                reader.forgetUnknown();
                indexBuilder.run(values.liveCount());
            }
            if (!context.readOnly()) {
                giveSpaceBack();
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, context.directory() + ": upkeep has to be tried again: " + e);
        } finally {
            longWork.unlock();
            scheduled.set(false);
        }
    }

    private void giveSpaceBack() throws IOException {
        if (hasDeadValues()) {
            relocate(false);
        }
        engine.reclaimNow();
        if (hasPinnedValues()) {
            engine.checkpoint();
        }
        // what is left is in the segment that grows, damaged, or held by a snapshot: more of the same would not help
        nextDeadBytes = values.deadBytes() + segmentBytes / WORTHWHILE_PART;
        nextPinnedBytes = values.pinnedBytes() + values.liveBytes() / PINNED_PART + segmentBytes;
    }

    /**
     * Moves the values of the emptiest segments; with {@link #longWork} held.
     *
     * @param all whether to empty every segment that is worth it
     */
    void relocate(boolean all) throws IOException {
        relocated = true;
        relocation.run(all);
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
        relocation.stop();
        indexBuilder.stop();
    }
}
