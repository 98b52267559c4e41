package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.pending.ChangeBuffer;
import io.kvstore.bplus.tree.LeafWalk;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.bplus.tree.ValueReader;
import io.kvstore.engine.Background;
import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.TableContext;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.Notices;
import io.kvstore.io.NoSpaceException;
import io.kvstore.value.IndexFiller;
import io.kvstore.value.ValueRelocation;
import io.kvstore.value.ValueSpace;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Background work beside checkpoints. It gives back the space of dead values, lets the hash index grow with the table, puts
 * values that are scanned in order, and merges leaves that have become sparse.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>At most one task runs at a time, under the lock for long work, which no checkpoint needs. A task does not wait for this
 *       lock: the thread that has it looks for due work when it lets go.
 *   <li>Space is given back first where that takes no work. While writers wait for space, giving space back goes before other
 *       work, also in the middle of it: after each leaf and each segment.
 *   <li>A table at rest settles: now and then a tick looks whether anything is left that is worth giving back, until nothing
 *       is.
 * </ol>
 */
public final class Maintenance {

    private static final long TICK_MILLIS = 1_000;
    private static final int TICKS_AFTER_FAILURE = 30;

    /** Segments that only the last checkpoint needs are worth another checkpoint when they are this part of the live bytes. */
    private static final int PINNED_PART = 4;

    /** While writers wait, these segments are worth a checkpoint when they are this part of the limit of the debt. */
    private static final int AWAITED_PART = 8;

    /** Values in fewer segments are not worth being put in order. */
    private static final long LEAST_SEGMENTS = 2;

    /** The order of values is looked at after scans waited more often than this, and for more than this part of them. */
    private static final long LOOK_AT_ORDER_AFTER = 4_096;

    private static final int LOOK_AT_ORDER_PART = 64;

    /** Before a relocation is tried again, this part of a segment more has to be dead. */
    private static final int WORTHWHILE_PART = 8;

    /** This part of a segment is worth the work of a table that rests. */
    private static final int RESTING_PART = 16;

    private static final long LEAST_AT_REST_BYTES = 256 << 10;

    private final TableContext context;
    private final ValueStore values;
    private final ValueReader reader;
    private final ValueMoves moves;
    private final ValueRelocation relocation;
    private final IndexFiller filler;
    private final Clustering clustering;
    private final SparseLeaves sparse;
    private final Slack slack;
    private final ValueSpace space;
    private final Checkpoints checkpoints;
    private final ChangeBuffer changes;
    private final Reclaim reclaim;
    private final RankedLock longWork;
    private final BackgroundTask task;
    private final AtomicReference<Background.@Nullable Ticket> ticket = new AtomicReference<>();
    private volatile long nextDeadBytes;
    private volatile long nextPinnedBytes;

    /** Bytes of old pages that the last checkpoint could not give back, because they are looked at; -1 if it gave some back. */
    private volatile long keptPagesBytes = -1;

    private volatile boolean resting;
    private volatile boolean stopped;

    /** After a failure nothing is tried for this many ticks. */
    private volatile int restTicks;

    /** The last operation at the time of the last tick. */
    private long lsnAtTick;

    /** Work of upkeep: a step that takes room on the disk, or the work between two steps. */
    @FunctionalInterface
    public interface Work {

        void run() throws IOException;
    }

    /** @param checkpoints of the table; this work takes part in their reclaiming and their reserve */
    public Maintenance(Tree tree, TreeParts parts, PageSupply pages, ValueReader reader, Checkpoints checkpoints) {
        this.checkpoints = checkpoints;
        this.changes = checkpoints.changes();
        this.reclaim = checkpoints.reclaim();
        this.slack = reclaim.slack();
        this.space = slack.space();
        this.context = slack.context();
        this.task = new BackgroundTask(
                context.background().longWork(), context.background().waiter(), this::run);
        this.longWork = parts.locks().longWork();
        this.values = parts.values();
        this.reader = reader;
        this.moves = new ValueMoves(tree, parts, pages);
        this.relocation = new ValueRelocation(values, moves);
        LeafWalk walk = new LeafWalk(tree, parts, pages);
        IndexedLeaves leaves = new IndexedLeaves(tree, parts, walk, changes, this::afterLeaf);
        this.filler = new IndexFiller(context.memory(), parts.index(), leaves);
        this.clustering = new Clustering(tree, parts, relocation, walk);
        this.sparse = new SparseLeaves(tree, parts, walk, pages);
    }

    public void alone(Work work) throws IOException {
        try (RankedLock.Held _ = longWork.hold()) {
            work.run();
        }
        consider();
    }

    public void optimize() throws IOException {
        alone(() -> {
            cluster(true);
            relocate(true);
            mergeLeaves();
        });
    }

    /** Begins to look for due work now and then. Not called while the log is replayed. */
    public void start() {
        if (!context.readOnly() && ticket.get() == null) {
            Background.Ticket made = context.background().every(TICK_MILLIS, this::tick);
            if (!ticket.compareAndSet(null, made)) {
                made.close();
            }
        }
    }

    private void tick() {
        long lsn = changes.appliedLsn();
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

    /** Called after a write. Hands due work to the background. */
    public void consider() {
        if (filler.isDue() || isSpaceDue() || space.isOver()) {
            schedule();
        }
    }

    public void hurry() {
        schedule();
    }

    /** Called after a get, because the index may know too little. */
    public void considerIndex() {
        if (filler.isWanted()) {
            schedule();
        }
    }

    /** Called before a scan, because values may lie in an order that is bad for it. */
    public void considerOrder() {
        if (isOrderDue()) {
            schedule();
        }
    }

    /** Whether scans waited often enough to look where they wait; see {@link Clustering}. */
    private boolean isOrderDue() {
        return reader.scattered().get() > Math.max(LOOK_AT_ORDER_AFTER, values.liveCount() / LOOK_AT_ORDER_PART)
                && !context.readOnly()
                && values.liveBytes() > LEAST_SEGMENTS * values.segmentBytes();
    }

    private void schedule() {
        if (!stopped && !longWork.isLocked()) {
            task.requestAgain();
        }
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
        long oldPages = checkpoints.oldPagesBytes();
        return space.pinnedBytes() > worthwhileAtRest()
                || (oldPages > worthwhileAtRest() && oldPages != keptPagesBytes);
    }

    /** Whether something is left that would not be given back if no write came. */
    private boolean isLeftAtRest() {
        return isCheckpointDueAtRest() || space.viewBytes() > 0 || changes.size() > 0 || relocation.isGrowingDead();
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
            space.changed();
        }
        // no thread was told of values that died meanwhile
        boolean isWorthwhile = !wasPressing || space.debtBytes() < before;
        if (isDone && (isSpaceDue() || (space.isPressing() && isWorthwhile)) && !stopped) {
            task.requestAgain();
        }
    }

    private boolean isSpaceDue() {
        return !context.readOnly() && (hasDeadValues() || hasPinnedValues() || sparse.isDue());
    }

    private boolean tryWork() {
        try {
            work();
            if (!space.isPressing() && !context.readOnly()) {
                slack.reserve().take(checkpoints.diskBytes());
            }
            return true;
        } catch (NoSpaceException e) {
            if (slack.reserve().giveUp()) {
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
        if (filler.isDue()) {
            filler.run();
        }
        if (isOrderDue()) {
            reader.scattered().reset();
            if (clustering.isDue()) {
                cluster(false);
            }
        }
    }

    private void afterLeaf() throws IOException {
        if (space.isPressing()) {
            giveSpaceBack();
        }
    }

    private void afterRun() throws IOException {
        checkpoints.make(false);
        reclaim.now();
    }

    private void afterSegment() throws IOException {
        checkpoints.noteMoved();
        reclaim.now();
        space.lookAtDisk();
        if (space.isOver() && space.pinnedBytes() > space.limitBytes() / AWAITED_PART) {
            checkpoints.make(false);
        }
    }

    /** As {@link Clustering#run}, with {@link #longWork} held. */
    private void cluster(boolean all) throws IOException {
        reclaim.now();
        checkpoints.noteMoved();
        clustering.run(all, this::afterLeaf, this::afterRun);
    }

    private void mergeLeaves() throws IOException {
        checkpoints.noteMoved();
        sparse.run(this::afterLeaf);
        reclaim.now();
    }

    private void giveSpaceBack() throws IOException {
        space.checkpointBlocked(!changes.blocked().isEmpty());
        reclaim.now();
        if (resting) {
            relocation.sealIfDead();
        }
        if (space.isPressing() || (resting && changes.size() > 0)) {
            changes.mergeAll();
            reclaim.now();
        }
        boolean isPressing = space.isPressing();
        Set<Long> tried = isPressing || hasDeadValues() ? relocate(isPressing && space.isDiskShort()) : Set.of();
        space.lost(relocation.lostBytes());
        boolean isWorthwhile = hasPinnedValues() || (resting && isCheckpointDueAtRest());
        if (isWorthwhile || (space.isOver() && space.pinnedBytes() > 0)) {
            long before = checkpoints.oldPagesBytes();
            checkpoints.noteMoved();
            checkpoints.make(resting);
            keptPagesBytes = checkpoints.oldPagesBytes() == before ? before : -1;
        }
        // the rest is in the segment that grows, damaged, or held by a snapshot: another run would not help
        boolean isMoreDue = !tried.isEmpty() && relocation.isMoreDue(tried);
        nextDeadBytes = isMoreDue ? 0 : values.deadBytes() + values.segmentBytes() / WORTHWHILE_PART;
        nextPinnedBytes = space.pinnedBytes() + values.liveBytes() / PINNED_PART + values.segmentBytes();
    }

    /** As {@link ValueRelocation#run}, with {@link #longWork} held. */
    private Set<Long> relocate(boolean all) throws IOException {
        checkpoints.noteMoved();
        return relocation.run(all, () -> {}, this::afterSegment);
    }

    public void stop() {
        stopped = true;
        relocation.stop();
        moves.stop();
        filler.close();
        clustering.stop();
        sparse.stop();
        Background.Ticket begun = ticket.get();
        if (begun != null) {
            begun.close();
        }
    }
}
