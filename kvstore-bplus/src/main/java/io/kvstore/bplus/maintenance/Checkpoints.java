package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.file.PageStore;
import io.kvstore.bplus.file.Superblock;
import io.kvstore.bplus.file.TableFiles;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.pending.ChangeBuffer;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.engine.FileHold;
import io.kvstore.engine.Measures;
import io.kvstore.engine.TableContext;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.io.UncertainOutcomeException;
import io.kvstore.value.ValueHold;
import io.kvstore.value.ValueStore;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes states of the tree to the file, one after the other, while writers go on.
 *
 * <p>A checkpoint looks at the newest state, which freezes it: no page of it changes any more, so its pages can be written one
 * by one, at any time. Only pages that changed since the checkpoint before are looked for. When the last of them is in the
 * file, the values that the state points to are written and synced, and the log is made durable up to the lsn of the state.
 * Then the superblock makes the state count. Then the places of replaced pages are free.
 */
public final class Checkpoints {

    private static final long NANOS_OF_MILLI = 1_000_000;

    private final TableContext context;
    private final @Nullable PageStore pageStore;
    private final Tree tree;
    private final TreeParts parts;
    private final ChangeBuffer changes;
    private final Reclaim reclaim;
    private final AtomicLong made = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean moved = new AtomicBoolean();
    private volatile long durableLsn;
    private volatile long madeNanos;
    private volatile long tookNanos;
    private volatile boolean isWriting;

    /** Whether the contents of the file are not known any more: a sync failed, or an error came that should be impossible. */
    private volatile boolean unusable;

    /** @param files without a page file no checkpoint is made */
    public Checkpoints(TableFiles files, Tree tree, TreeParts parts, ChangeBuffer changes, Reclaim reclaim) {
        this.context = reclaim.slack().context();
        this.pageStore = files.pageStore();
        this.tree = tree;
        this.parts = parts;
        this.changes = changes;
        this.reclaim = reclaim;
        this.durableLsn = parts.versions().now().lsn();
        this.madeNanos = context.clock().nanoTime();
    }

    ChangeBuffer changes() {
        return changes;
    }

    Reclaim reclaim() {
        return reclaim;
    }

    public long diskBytes() {
        ValueStore values = parts.values();
        long valueBytes = values.liveBytes()
                + values.deadBytes()
                + values.pinnedBytes()
                - values.log().waitingBytes();
        return pageStore == null ? 0 : pageStore.pages().endBytes() + Math.max(0, valueBytes);
    }

    public long durableLsn() {
        return durableLsn;
    }

    public void addTo(Measures measures) {
        measures.add("checkpoints", made.get(), "Checkpoints since the table was opened.");
        measures.add("checkpoint_millis", tookNanos / NANOS_OF_MILLI, "What the last checkpoint took.");
        long age = context.clock().nanoTime() - madeNanos;
        measures.add("checkpoint_age_millis", age / NANOS_OF_MILLI, "Since the last checkpoint, or the opening.");
    }

    /** Bytes of pages in the file that a checkpoint would give back, roughly: old ones, and places between pages. */
    long oldPagesBytes() {
        if (pageStore == null) {
            return 0;
        }
        long replaced = pageStore.pages().takenBytes() - parts.ids().liveCount() * PageFile.UNIT_BYTES;
        return Math.max(changes.appliedLsn() > durableLsn ? replaced : 0, pageStore.spreadBytes());
    }

    /**
     * Whether merges are to wait for a checkpoint that is being written. The file has the pages of two states then, and a page
     * that is changed and evicted meanwhile is a third copy.
     */
    public boolean holdsMergesBack() {
        if (pageStore == null || !isWriting || parts.locks().checkpointing().isHeldByCurrentThread()) {
            return false;
        }
        long units = Math.max(parts.ids().liveCount(), parts.ids().durableUnits());
        long mostBytes = 2 * units * PageFile.UNIT_BYTES + reclaim.slack().pagesBytes();
        return pageStore.pages().takenBytes() > mostBytes;
    }

    /** Called when a checkpoint is worth making without a new operation: values or pages were moved, or one failed. */
    void noteMoved() {
        moved.set(true);
    }

    /** Ends the making of checkpoints. Returns whether this is the first call. */
    public boolean close() {
        return closed.compareAndSet(false, true);
    }

    /**
     * Makes the state durable that has all changes that were applied before the call. Returns {@link #durableLsn}.
     *
     * @param packs whether pages move to the front, so that the file has no more places than it needs
     */
    public long make(boolean packs) throws IOException {
        PageStore target = pageStore;
        if (target == null || context.readOnly()) {
            return durableLsn;
        }
        try (RankedLock.Held _ = parts.locks().checkpointing().hold()) {
            tree.requireWhole();
            if (!closed.get() && (moved.getAndSet(false) || changes.appliedLsn() > durableLsn)) {
                reclaim.slack().reserve().with(() -> make(target, packs));
            }
            return durableLsn;
        }
    }

    /** Holds the files of the newest durable state. Waits for a checkpoint that is under way. */
    public FileHold hold() throws IOException {
        PageStore target = pageStore;
        if (target == null) {
            throw new IllegalStateException(context.directory() + " is open for reading only");
        }
        try (RankedLock.Held _ = parts.locks().checkpointing().hold()) {
            if (unusable) {
                throw new StoreFailedException(context.directory() + " failed before; nothing of it is held", null);
            }
            ValueSegmentList segments =
                    target.newest().values() == 0 ? ValueSegmentList.EMPTY : ValueSegmentList.read(target.values());
            ValueHold values = parts.values().hold(context, segments);
            try {
                return values.with(target.newest().lsn(), target.hold());
            } catch (Throwable e) {
                values.giveBack();
                throw e;
            }
        }
    }

    private void make(PageStore target, boolean packs) throws IOException {
        if (unusable) {
            throw new StoreFailedException(context.directory() + " failed before; no checkpoint is made", null);
        }
        boolean done = false;
        long begin = context.clock().nanoTime();
        try {
            write(target, packs);
            done = true;
        } catch (Throwable e) {
            if (e instanceof UncertainOutcomeException
                    || !(e instanceof IOException || e instanceof KVStoreException)) {
                unusable = true;
                context.failures().fail(e);
            }
            throw e;
        } finally {
            if (!done) {
                noteMoved();
            }
        }
        durableLsn = target.newest().lsn();
        made.incrementAndGet();
        madeNanos = context.clock().nanoTime();
        tookNanos = madeNanos - begin;
        reclaim.now();
        target.truncate();
    }

    private void write(PageStore target, boolean packs) throws IOException {
        target.packs(packs);
        Captured captured = changes.whole(waitingBytes -> {
            changes.blocked().requireNone(); // the log must keep the changes that the tree lacks
            return capture(waitingBytes);
        });
        try (TreeVersions.Look look = captured.look) {
            isWriting = true;
            write(target, look.state(), captured);
        } finally {
            isWriting = false;
        }
    }

    private record Captured(TreeVersions.Look look, ValueSegmentList segments, BitSet live, BitSet touched) {}

    private Captured capture(Map<Long, Long> waitingBytes) {
        ValueSegmentList segments = parts.values().capture(waitingBytes);
        BitSet live = parts.ids().liveIds();
        TreeVersions.Look look = parts.versions().lookForCheckpoint();
        // last: if a step before fails, these ids are left for the next checkpoint
        return new Captured(look, segments, live, parts.ids().takeTouched());
    }

    /** Lets pages count as changed that lie so far behind that the file could be much shorter. */
    private static void addFar(PageStore target, BitSet touched, BitSet live) {
        for (int id = live.nextSetBit(0); id >= 0; id = live.nextSetBit(id + 1)) {
            if (target.isFar(target.location(id))) {
                touched.set(id);
            }
        }
    }

    private void write(PageStore target, TreeVersions.State state, Captured captured) throws IOException {
        BitSet touched = captured.touched;
        BitSet live = captured.live;
        Map<Long, Long> before = new HashMap<>();
        boolean committed = false;
        ValueStore.@Nullable Leases leases = null;
        long sequence = target.newest().sequence();
        try {
            addFar(target, touched, live);
            for (int id = touched.nextSetBit(0); id >= 0; id = touched.nextSetBit(id + 1)) {
                long location = live.get(id) ? placeOf(target, id) : 0;
                if (location != target.location(id)) {
                    before.put((long) id, target.location(id));
                    target.set(id, location);
                }
            }
            parts.values().persist(captured.segments);
            leases = parts.values().lease(captured.segments);
            Superblock wanted =
                    new Superblock(1, state.lsn(), state.rootId(), parts.ids().next(), state.entries(), 0, List.of());
            target.commit(wanted, captured.segments.toBytes(), context.barrier());
            committed = true;
            parts.values().committed(leases); // first, because a step after it may fail
        } finally {
            if (!committed) {
                giveUp(target, leases, sequence);
                before.forEach(target::set);
                parts.ids().touchAgain(touched);
            }
        }
        for (long id : before.keySet()) {
            long replaced = parts.ids().setDurable(id, target.location(id));
            if (replaced != 0) {
                target.pages().free(replaced);
            }
        }
    }

    /** A superblock that is durable, or may be so, keeps its segments. */
    private void giveUp(PageStore target, ValueStore.@Nullable Leases leases, long sequenceBefore) {
        if (leases != null && !target.hasFailed() && target.newest().sequence() == sequenceBefore) {
            parts.values().giveUp(leases);
        }
    }

    private long placeOf(PageStore target, long id) throws IOException {
        long location = parts.buffer().persist(id);
        if (location == 0) {
            throw new IllegalStateException("page " + id + " of a checkpoint is not there");
        }
        return target.isFar(location) ? parts.buffer().move(id, location) : location;
    }
}
