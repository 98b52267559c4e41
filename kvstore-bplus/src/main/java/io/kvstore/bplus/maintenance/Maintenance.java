package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.pending.ChangeBuffer;
import io.kvstore.bplus.tree.LeafWalk;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.bplus.tree.ValueReader;
import io.kvstore.engine.Background;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.UnusedMemory;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.Notices;
import io.kvstore.io.NoSpaceException;
import io.kvstore.value.HashIndex;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Background work beside checkpoints: the space of values that are dead comes back, the hash index grows with the table,
 * values that are scanned get into order, and leaves that have become sparse are merged.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>At most one task at a time, under the lock for long work, which no checkpoint needs. A task does not wait for it: the
 *       one who has it looks what is due when it lets go.
 *   <li>What takes no work is given back first. While writers wait for space that is what is done, also in the middle of
 *       other work: after each leaf and each segment.
 *   <li>A table at rest settles: now and then somebody looks whether anything is left that is worth giving back, until nothing
 *       is.
 * </ol>
 */
public final class Maintenance implements UnusedMemory {

    private static final long TICK_MILLIS = 1_000;
    private static final int TICKS_AFTER_FAILURE = 30;

    /** Segments that only the last checkpoint needs are worth another one when they are this part of what is alive. */
    private static final int PINNED_PART = 4;

    /** The same while writers wait: this part of what they may leave behind. */
    private static final int AWAITED_PART = 8;

    /** Values in fewer segments are not worth being put in order. */
    private static final long LEAST_SEGMENTS = 2;

    /** Scans wait so often, or for this part of the values, before it is looked where. */
    private static final long LOOK_AT_ORDER_AFTER = 4_096;

    private static final int LOOK_AT_ORDER_PART = 64;

    /** So much more of a segment has to be dead before a relocation is tried again. */
    private static final int WORTHWHILE_PART = 8;

    /** So much of a segment is worth the work of a table that rests. */
    private static final int RESTING_PART = 16;

    private static final long LEAST_AT_REST_BYTES = 256 << 10;

    /** So many gets of what the index does not know make it worth filling; as many as there are values are enough. */
    private static final long MANY_UNKNOWN = 10_000;

    private static final long LEAST_UNKNOWN = 64;

    private final TableContext context;
    private final ValueStore values;
    private final HashIndex index;
    private final ValueReader reader;
    private final ValueRelocation relocation;
    private final HashIndexBuilder indexBuilder;
    private final Clustering clustering;
    private final SparseLeaves sparse;
    private final Space space;
    private final Engine engine;
    private final ReentrantLock longWork = new ReentrantLock();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final AtomicBoolean relocated = new AtomicBoolean();
    private final AtomicReference<Background.@Nullable Ticket> ticket = new AtomicReference<>();
    private volatile long nextDeadBytes;
    private volatile long nextPinnedBytes;

    /** So much a checkpoint did not give back, because somebody looks at it. */
    private volatile long keptPagesBytes = -1;

    private volatile boolean resting;
    private volatile boolean stopped;

    /** After a failure, so many ticks nothing is tried. */
    private volatile int restTicks;

    /** Of the tick. */
    private long lsnAtTick;

    /** What this work needs of the engine. */
    public interface Engine {

        /** How this work gets pages. */
        PageSupply pages();

        /** Gives back the pages and segments that nobody looks at. */
        void reclaimNow();

        /**
         * Makes a checkpoint.
         *
         * @param packs whether the file of the pages is to become as short as it can
         */
        void checkpoint(boolean packs) throws IOException;

        /** What waits for being brought into the tree. */
        ChangeBuffer changes();

        /** The last operation that was applied. */
        long lastLsn();

        /** More room on the disk, if there is a {@link Reserve}; whether there was. */
        boolean giveUpReserve();

        /** Makes a reserve if it is worth it. */
        void takeReserve();

        /** Bytes of pages in the file that a checkpoint would give back; roughly. */
        long oldPagesBytes();
    }

    public Maintenance(Tree tree, TreeParts parts, ValueReader reader, Space space, Engine engine) {
        this.context = space.context();
        this.values = parts.values();
        this.index = parts.index();
        this.reader = reader;
        this.space = space;
        this.engine = engine;
        this.relocation = new ValueRelocation(tree, parts, engine.pages());
        LeafWalk walk = new LeafWalk(tree, parts, engine.pages());
        this.indexBuilder = new HashIndexBuilder(tree, parts, walk, engine.changes());
        this.clustering = new Clustering(tree, parts, relocation, walk);
        this.sparse = new SparseLeaves(tree, parts, walk, engine.pages());
        context.memory().add(this);
    }

    /** Work that must not meet this one. */
    @FunctionalInterface
    public interface Work {

        void run() throws IOException;
    }

    /** Does something while no task runs, and then looks what is due. */
    public void alone(Work work) throws IOException {
        longWork.lock();
        try {
            work.run();
        } finally {
            longWork.unlock();
        }
        consider();
    }

    /** Puts values in order, and empties every segment that is worth it. */
    public void optimize() throws IOException {
        alone(() -> {
            cluster(true);
            relocate(true);
            mergeLeaves();
        });
    }

    /** From now on somebody looks now and then what is due; not while the log is replayed. */
    public void start() {
        if (!context.readOnly() && ticket.get() == null) {
            Background.Ticket made = context.background().every(TICK_MILLIS, this::tick);
            if (!ticket.compareAndSet(null, made)) {
                made.close();
            }
        }
    }

    private void tick() {
        long lsn = engine.lastLsn();
        resting = lsn == lsnAtTick;
        lsnAtTick = lsn;
        restTicks = Math.max(0, restTicks - 1);
        space.lookAtDisk();
        if (space.isPressing() || (resting && restTicks == 0 && isLeftAtRest())) {
            schedule();
        } else {
            consider();
        }
    }

    /** After a write: hands to the background what is due. */
    public void consider() {
        if (isIndexDue() || isSpaceDue() || space.isOver()) {
            schedule();
        }
    }

    /** Writers wait for space. */
    public void hurry() {
        schedule();
    }

    /** After a get: the index may know too little. */
    public void considerIndex() {
        if (isMuchUnknown()) {
            if (isIndexDue()) {
                schedule();
            } else {
                reader.forgetUnknown();
            }
        }
    }

    /** Before a scan: values may lie in an order that is bad for it. */
    public void considerOrder() {
        if (isOrderDue()) {
            schedule();
        }
    }

    /** Whether scans waited so often that it is worth looking where; see {@link Clustering}. */
    private boolean isOrderDue() {
        return reader.scattered() > Math.max(LOOK_AT_ORDER_AFTER, values.liveCount() / LOOK_AT_ORDER_PART)
                && !context.readOnly()
                && values.liveBytes() > LEAST_SEGMENTS * values.segmentBytes();
    }

    private void schedule() {
        if (!stopped && !longWork.isLocked()) {
            context.background().longWork().executeOnce(scheduled, this::run);
        }
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
        if (!relocation.garbage().isTooMuch(dead, values.liveBytes())) {
            nextDeadBytes = 0;
            return false;
        }
        return dead >= nextDeadBytes;
    }

    private boolean hasPinnedValues() {
        long pinned = space.pinnedBytes();
        if (pinned <= values.liveBytes() / PINNED_PART + 2 * values.segmentBytes()) {
            nextPinnedBytes = 0;
            return false;
        }
        return pinned >= nextPinnedBytes;
    }

    private long worthwhileAtRest() {
        return Math.max(LEAST_AT_REST_BYTES, values.segmentBytes() / RESTING_PART);
    }

    private boolean isCheckpointDueAtRest() {
        long oldPages = engine.oldPagesBytes();
        return space.pinnedBytes() > worthwhileAtRest()
                || (oldPages > worthwhileAtRest() && oldPages != keptPagesBytes);
    }

    /** What nobody would give back if no write came. */
    private boolean isLeftAtRest() {
        return isCheckpointDueAtRest()
                || space.viewBytes() > 0
                || engine.changes().size() > 0
                || relocation.isGrowingDead();
    }

    private void run() {
        space.lookAtDisk();
        boolean wasPressing = space.isPressing();
        long before = space.debtBytes();
        boolean isDone = false;
        try {
            if (longWork.tryLock()) {
                try {
                    isDone = !stopped && tryWork();
                } finally {
                    longWork.unlock();
                }
            }
        } finally {
            scheduled.set(false);
            space.changed();
        }
        // what died meanwhile was told to nobody
        boolean isWorthwhile = !wasPressing || space.debtBytes() < before;
        if (isDone && (isSpaceDue() || (space.isPressing() && isWorthwhile))) {
            schedule();
        }
    }

    private boolean isSpaceDue() {
        return !context.readOnly() && (hasDeadValues() || hasPinnedValues() || sparse.isDue());
    }

    private boolean tryWork() {
        try {
            work();
            if (!space.isPressing() && !context.readOnly()) {
                engine.takeReserve();
            }
            return true;
        } catch (NoSpaceException e) {
            if (engine.giveUpReserve()) {
                return tryWork();
            }
            space.full(true);
            Notices.debug(Maintenance.class, context.directory(), "the disk is too full for upkeep", e);
        } catch (IOException | KVStoreException e) {
            restTicks = TICKS_AFTER_FAILURE;
            Notices.warning(Maintenance.class, context.directory(), "upkeep has to be tried again", e);
        }
        return false;
    }

    private void work() throws IOException {
        if (!context.readOnly()) {
            giveSpaceBack();
        }
        if (sparse.isDue() && !context.readOnly()) {
            mergeLeaves();
        }
        if (isIndexDue()) {
            if (isMuchUnknown()) {
                index.askFor();
                reader.forgetUnknown();
            }
            indexBuilder.run(values.liveCount(), new Between());
        }
        if (isOrderDue()) {
            reader.forgetScattered();
            if (clustering.isDue()) {
                cluster(false);
            }
        }
    }

    /** What is done between two steps of long work. */
    private final class Between implements Clustering.Pauses, ValueRelocation.Pauses {

        @Override
        public void afterLeaf() throws IOException {
            if (space.isPressing()) {
                giveSpaceBack();
            }
        }

        @Override
        public void afterRun() throws IOException {
            engine.checkpoint(false);
            engine.reclaimNow();
        }

        @Override
        public void afterSegment() throws IOException {
            relocated.set(true);
            engine.reclaimNow();
            space.lookAtDisk();
            if (space.isOver() && space.pinnedBytes() > space.limitBytes() / AWAITED_PART) {
                engine.checkpoint(false);
            }
        }
    }

    /**
     * Puts values in the order of their keys; with {@link #longWork} held.
     *
     * @param all whether all that are not, or those that scans waited for
     */
    private void cluster(boolean all) throws IOException {
        engine.reclaimNow();
        relocated.set(true);
        clustering.run(all, new Between());
    }

    private void mergeLeaves() throws IOException {
        relocated.set(true);
        sparse.run(new Between());
        engine.reclaimNow();
    }

    private void giveSpaceBack() throws IOException {
        space.checkpointBlocked(!engine.changes().blocked().isEmpty());
        engine.reclaimNow();
        if (resting) {
            relocation.sealIfDead();
        }
        if (space.isPressing() || (resting && engine.changes().size() > 0)) {
            engine.changes().mergeAll();
            engine.reclaimNow();
        }
        boolean isPressing = space.isPressing();
        Set<Long> tried = isPressing || hasDeadValues() ? relocate(isPressing && space.isDiskShort()) : Set.of();
        space.lost(relocation.lostBytes());
        boolean isWorthwhile = hasPinnedValues() || (resting && isCheckpointDueAtRest());
        if (isWorthwhile || (space.isOver() && space.pinnedBytes() > 0)) {
            long before = engine.oldPagesBytes();
            relocated.set(true);
            engine.checkpoint(resting);
            keptPagesBytes = engine.oldPagesBytes() == before ? before : -1;
        }
        // what else is left is in the segment that grows, damaged, or held by a snapshot: again would not help
        boolean isMoreDue = !tried.isEmpty() && relocation.isMoreDue(tried);
        nextDeadBytes = isMoreDue ? 0 : values.deadBytes() + values.segmentBytes() / WORTHWHILE_PART;
        nextPinnedBytes = space.pinnedBytes() + values.liveBytes() / PINNED_PART + values.segmentBytes();
    }

    /**
     * Moves the values of the emptiest segments; with {@link #longWork} held.
     *
     * @param all whether to empty every segment that is worth it
     * @return which were due
     */
    private Set<Long> relocate(boolean all) throws IOException {
        relocated.set(true);
        return relocation.run(all, new Between());
    }

    /** Whether values were moved since this was called last, so that a checkpoint is worth making without a new operation. */
    public boolean takeRelocated() {
        return relocated.getAndSet(false);
    }

    /** The checkpoint that was to hold what was moved failed. */
    public void relocatedStill() {
        relocated.set(true);
    }

    @Override
    public boolean isUnused() {
        return index.isUnused();
    }

    @Override
    public Given giveBackAny(long wantedBytes) {
        if (!index.hasMemory() || !longWork.tryLock()) {
            return Given.NONE;
        }
        try {
            return indexBuilder.giveBack();
        } finally {
            longWork.unlock();
            consider(); // a task that found the lock taken left its work to this one
        }
    }

    /** Ends soon. */
    public void stop() {
        stopped = true;
        relocation.stop();
        context.memory().remove(this);
        indexBuilder.stop();
        clustering.stop();
        sparse.stop();
        Background.Ticket begun = ticket.get();
        if (begun != null) {
            begun.close();
        }
    }
}
