package io.kvstore.hash.maintenance;

import io.kvstore.engine.Background;
import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.Measures;
import io.kvstore.engine.TableContext;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.Notices;
import io.kvstore.error.OverloadedException;
import io.kvstore.hash.table.Moves;
import io.kvstore.hash.table.TableState;
import io.kvstore.io.NoSpaceException;
import io.kvstore.value.ValueRelocation;
import io.kvstore.value.ValueSpace;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Background work beside the checkpoints of the store: relocation, and checkpoints that give space or memory back. At most one
 * piece of it runs at a time. A table at rest is looked at now and then, until nothing is left that is worth giving back.
 */
public final class Maintenance {

    private static final long TICK_MILLIS = 1_000;
    private static final int TICKS_AFTER_FAILURE = 30;

    /** Changes that wait for the index file take as much memory at most before a checkpoint is made for them. */
    private static final long MANY_CHANGES_BYTES = 16 << 20;

    /** Segments that only the last checkpoint needs are worth another checkpoint when they are this part of the live bytes. */
    private static final int PINNED_PART = 4;

    /** While writers wait, these segments are worth a checkpoint when they are this part of the limit of the debt. */
    private static final int AWAITED_PART = 8;

    private static final long LEAST_AT_REST_BYTES = 256 << 10;

    /** Before a relocation is tried again, this part of a segment more has to be dead. */
    private static final int WORTHWHILE_PART = 8;

    private final TableContext context;
    private final TableState state;
    private final ValueStore values;
    private final Checkpoints checkpoints;
    private final ValueSpace space;
    private final Moves moves;
    private final ValueRelocation relocation;
    private final ReentrantLock longWork = new ReentrantLock();
    private final BackgroundTask task;
    private final AtomicReference<Background.@Nullable Ticket> ticket = new AtomicReference<>();
    private volatile long nextDeadBytes;
    private volatile long nextPinnedBytes;
    private volatile boolean resting;

    /** The debt that the last attempt has left. */
    private volatile long leftAtRest = -1;

    private final AtomicInteger restTicks = new AtomicInteger();
    private long lsnAtTick;

    public Maintenance(TableState state, Checkpoints checkpoints, ValueSpace space) {
        this.state = state;
        this.context = state.context();
        this.values = state.records().values();
        this.checkpoints = checkpoints;
        this.space = space;
        this.moves = new Moves(state);
        this.relocation = new ValueRelocation(values, moves);
        this.task = new BackgroundTask(
                context.background().longWork(), context.background().waiter(), this::run);
    }

    /** Begins to look at the table now and then. */
    public void start() {
        if (context.readOnly() || ticket.get() != null) {
            return;
        }
        Background.Ticket begun = context.background().every(TICK_MILLIS, this::tick);
        if (!ticket.compareAndSet(null, begun)) {
            begun.close();
        }
    }

    private void tick() {
        state.forgetAbandoned();
        if (restTicks.get() > 0) {
            restTicks.decrementAndGet();
            return;
        }
        long lsn = state.appliedLsn();
        resting = lsn == lsnAtTick;
        lsnAtTick = lsn;
        boolean hasViews = state.historyBytes() > 0 || values.pinnedBytes() > 0;
        boolean isWorthwhile = resting && (state.hasPending() || isWorthwhileAtRest());
        if (isDue() || space.isPressing() || hasViews || isWorthwhile) {
            task.request();
        }
    }

    /** Whether a table at rest may give something back, and the last attempt has not left just as much. */
    private boolean isWorthwhileAtRest() {
        long debt = space.debtBytes();
        return debt > Math.max(LEAST_AT_REST_BYTES, values.liveBytes() / 2) && debt != leftAtRest;
    }

    /** Called by writers without a lock. */
    public void consider() {
        if (restTicks.get() == 0 && isDue()) {
            task.request();
        }
    }

    /** Has the work done now, for a writer that waits. */
    public void hurry() {
        restTicks.set(0);
        nextDeadBytes = 0;
        task.requestAgain();
    }

    private boolean isDue() {
        return isMuchChanged() || hasDeadValues() || hasPinnedValues();
    }

    /** Whether so many changes wait for the index file that writers have to wait, too. */
    public boolean isOverChanged() {
        return !context.readOnly() && state.changes().bytes() > 2 * MANY_CHANGES_BYTES;
    }

    /**
     * Waits for a checkpoint that takes the changes. Without any lock.
     *
     * @throws OverloadedException if that takes longer than the stall time-out
     */
    public void awaitCheckpoint() {
        hurry();
        if (!context.background().waiter().await(() -> !isOverChanged(), context.stallTimeoutMillis())) {
            throw new OverloadedException(
                    context.directory() + ": " + state.changes().bytes()
                            + " bytes of changes wait for the index file; write more slowly, or raise stallTimeoutMillis");
        }
    }

    private boolean isMuchChanged() {
        return state.changes().bytes() > MANY_CHANGES_BYTES;
    }

    private boolean hasDeadValues() {
        long dead = values.deadBytes();
        return dead > nextDeadBytes && relocation.garbage().isTooMuch(dead, values.liveBytes());
    }

    private boolean hasPinnedValues() {
        long pinned = space.pinnedBytes();
        return pinned > nextPinnedBytes && pinned > values.liveBytes() / PINNED_PART + values.segmentBytes();
    }

    private void run() {
        if (context.readOnly() || !longWork.tryLock()) {
            return; // the thread that has the lock looks for due work when it lets go
        }
        boolean isMoreDue = false;
        try {
            long before = space.debtBytes();
            giveSpaceBack(false);
            space.full(false);
            isMoreDue = space.isPressing() && space.debtBytes() < before;
        } catch (NoSpaceException e) {
            space.full(true);
            Notices.debug(Maintenance.class, context.directory(), "the disk is too full to give space back", e);
        } catch (IOException | KVStoreException e) {
            restTicks.set(TICKS_AFTER_FAILURE);
            Notices.warning(Maintenance.class, context.directory(), "upkeep has to be tried again", e);
        } finally {
            longWork.unlock();
            context.background().waiter().signal();
        }
        if (isMoreDue) {
            task.requestAgain();
        }
    }

    /** Brings the files into their best shape. */
    public void optimize() throws IOException {
        longWork.lock();
        try {
            checkpoints.make();
            relocation.sealIfDead();
            giveSpaceBack(true);
            checkpoints.make();
        } finally {
            longWork.unlock();
        }
        consider();
    }

    private void giveSpaceBack(boolean all) throws IOException {
        space.lookAtDisk();
        checkpoints.reclaim();
        noteViews();
        if (isMuchChanged()) {
            checkpoints.make();
        }
        if (resting || space.isPressing()) {
            relocation.sealIfDead();
        }
        boolean isPressing = space.isPressing();
        Set<Long> tried = Set.of();
        if (all || isPressing || resting || hasDeadValues()) {
            boolean isEach = all || (isPressing && space.isDiskShort()) || (resting && isWorthwhileAtRest());
            tried = relocation.run(isEach, this::afterBatch, this::afterSegment);
            space.lost(relocation.lostBytes());
        }
        noteViews();
        if (space.pinnedBytes() > 0 && (all || resting || hasPinnedValues() || space.isOver())) {
            checkpoints.noteMoved();
            checkpoints.make();
        }
        boolean isMoreDue = !tried.isEmpty() && relocation.isMoreDue(tried);
        nextDeadBytes = isMoreDue ? 0 : values.deadBytes() + values.segmentBytes() / WORTHWHILE_PART;
        nextPinnedBytes = space.pinnedBytes() + values.segmentBytes() / WORTHWHILE_PART;
        leftAtRest = space.debtBytes();
        if (resting) {
            state.settled(() -> true); // a few removals may be all that is left to do, of the largest values
        }
    }

    private void afterBatch() throws IOException {
        if (isMuchChanged()) {
            checkpoints.make();
        }
    }

    private void afterSegment() throws IOException {
        checkpoints.reclaim();
        noteViews();
        space.lookAtDisk();
        if (space.isOver() && space.pinnedBytes() > space.limitBytes() / AWAITED_PART) {
            checkpoints.noteMoved();
            checkpoints.make();
        }
        space.changed();
    }

    private void noteViews() {
        space.pinnedByViews(checkpoints.viewBytes());
        space.changed();
    }

    public void addTo(Measures measures) {
        measures.add("index_moves", moves.moved(), "Values that were written once more to give space back.");
    }

    /** Lets work end soon. */
    public void stop() {
        relocation.stop();
        Background.Ticket begun = ticket.get();
        if (begun != null) {
            begun.close();
        }
        task.close();
    }
}
