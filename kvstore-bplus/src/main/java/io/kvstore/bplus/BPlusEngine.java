package io.kvstore.bplus;

import io.kvstore.bplus.buffer.LoadedPages;
import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.buffer.PageIds;
import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.file.PageStore;
import io.kvstore.bplus.file.Superblock;
import io.kvstore.bplus.file.TableFiles;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.lock.TreeLocks;
import io.kvstore.bplus.maintenance.Checkpoint;
import io.kvstore.bplus.maintenance.Maintenance;
import io.kvstore.bplus.maintenance.Reclaim;
import io.kvstore.bplus.maintenance.Reserve;
import io.kvstore.bplus.maintenance.Space;
import io.kvstore.bplus.pending.ChangeBuffer;
import io.kvstore.bplus.pending.LayerMerge;
import io.kvstore.bplus.pending.SortedReplay;
import io.kvstore.bplus.pending.ViewCursor;
import io.kvstore.bplus.tree.SortedMerge;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeCheck;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.bplus.tree.TreeReader;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.bplus.tree.ValueReader;
import io.kvstore.data.KeyHash;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.Replay;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.Notices;
import io.kvstore.error.StorageException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.NotOpenedException;
import io.kvstore.io.RefusedException;
import io.kvstore.io.UncertainOutcomeException;
import io.kvstore.value.ValueIndex;
import io.kvstore.value.ValueStore;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.StoredValue;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A B+tree over a page buffer. Applied changes go to the {@link ChangeBuffer}, and from there to the tree, many at a time.
 * {@link Tree} is the writing side of the tree, and {@link TreeReader} the reading side. {@link PageBuffer} has the pages that
 * are in memory. {@link TreeVersions} keeps older states, {@link Checkpoint} brings a state to the file, and
 * {@code ValueRelocation} gives the space of values back.
 *
 * <p>{@link TreeLocks} has the locks and their order.
 */
final class BPlusEngine implements TableEngine, Maintenance.Engine {

    /** The hash index takes up to this part of the page buffer's limit, beside the page buffer. */
    private static final int INDEX_PART = 4;

    private static final int ADMITTED_UNITS = 4;

    /** At least this many bytes of one operation are held when it is replayed, and more if the page buffer may be larger. */
    private static final long LEAST_HELD_BYTES = 1 << 20;

    private final TableContext context;
    private final TableFiles files;
    private final @Nullable PageStore pageStore;
    private final PageIds ids;
    private final PageBuffer buffer;
    private final TreeVersions versions;
    private final TreeParts parts;
    private final Tree tree;
    private final ChangeBuffer changes;
    private final TreeReader reader;
    private final PointReader points;
    private final ValueStore values;
    private final ValueReader valueReader;
    private final Maintenance maintenance;
    private final ValueIndex index;
    private final int leastApartBytes;
    private final Space space;
    private final Reclaim reclaim;
    private final Reserve reserve;
    private final PageSupply pages;
    private final RankedLock checkpointing;
    private volatile long durableLsn;
    private volatile boolean diskFull;

    /** Whether the contents of the file are not known any more: a sync failed, or an error came that should be impossible. */
    private volatile boolean unusable;

    private final AtomicLong checkpoints = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile long checkpointNanos;
    private volatile long checkpointTookNanos;

    private BPlusEngine(TableContext context, TableFiles files) throws IOException {
        PageStore pageStore = files.pageStore();
        ValueStore values = files.values();
        Superblock state = pageStore == null ? Superblock.EMPTY : pageStore.newest();
        TreeLocks locks = new TreeLocks();
        this.checkpointing = locks.checkpointing();
        this.context = context;
        this.files = files;
        this.pageStore = pageStore;
        this.values = values;
        this.ids = new PageIds(state.nextPageId());
        this.versions = new TreeVersions(
                context.snapshots(),
                new TreeVersions.State(state.rootId(), state.lsn(), state.entries()),
                this::segmentsEnd);
        this.space = new Space(context, values, this::waitingValueBytes, bufferBytes(context));
        this.reserve = new Reserve(context, space.slackBytes());
        this.buffer = new PageBuffer(context, bufferBytes(context), pageStore, ids, locks.writing());
        int order = (int) context.properties().wholeNumber(BPlusConfParamsEnum.BTREE_ORDER.name());
        this.leastApartBytes = Math.min(context.properties().valueThresholdBytes(), Tree.MAX_INLINE_BYTES + 1);
        long placesBytes = bufferBytes(context) / INDEX_PART;
        HashIndex places = new HashIndex(context.memory(), placesBytes, new KeyHash(context.seed()));
        this.index = new ValueIndex(places, values.log());
        this.parts = new TreeParts(buffer, ids, versions, values, index, locks);
        locks.setMonitor(TreeLocks.Rank.VERSIONS, versions);
        locks.setMonitor(TreeLocks.Rank.BUFFER, buffer);
        locks.setMonitor(TreeLocks.Rank.IDS, ids);
        if (pageStore != null) {
            locks.setMonitor(TreeLocks.Rank.PLACES, pageStore.pages().places());
        }
        this.tree = new Tree(parts, context.failures(), order);
        this.reclaim = new Reclaim(tree, parts, space, () -> pageStore != null && pageStore.hasFailed());
        this.pages = new LoadedPages(buffer, ids, reclaim::someTime);
        SortedMerge sorted = new SortedMerge(tree, parts, pages, true);
        LayerMerge merge = new LayerMerge(context, tree, sorted, locks.writing(), this::afterMerge);
        this.changes = new ChangeBuffer(
                context,
                tree,
                parts,
                merge,
                new ChangeBuffer.Sizes(
                        leastApartBytes, bufferBytes(context), space.leastLayerBytes(), space::mostLayerBytes));
        this.valueReader = new ValueReader(values, index, context.barrier(), buffer.file());
        this.reader = new TreeReader(buffer, tree, valueReader);
        this.points = new PointReader(changes, reader, valueReader);
        this.maintenance = new Maintenance(tree, parts, valueReader, space, this);
        this.durableLsn = state.lsn();
        this.checkpointNanos = context.clock().nanoTime();
    }

    /** Called after a merge. Values may be dead now, and whole segments of them. */
    private void afterMerge() {
        reclaim.segments();
        maintenance.consider();
    }

    @Override
    public PageSupply pages() {
        return pages;
    }

    @Override
    public void reclaimNow() {
        reclaim.now();
    }

    @Override
    public boolean giveUpReserve() {
        return reserve.giveUp();
    }

    @Override
    public void takeReserve() {
        reserve.take(diskBytes());
    }

    @Override
    public ChangeBuffer changes() {
        return changes;
    }

    /** Bytes of pages in the file that the newest state does not have, or of places between pages, roughly. */
    @Override
    public long oldPagesBytes() {
        if (pageStore == null) {
            return 0;
        }
        long replaced = pageStore.pages().takenBytes() - ids.liveCount() * PageFile.UNIT_BYTES;
        return Math.max(lastLsn() > durableLsn ? replaced : 0, pageStore.spreadBytes());
    }

    private long segmentsEnd() {
        return tree.segmentsEnd();
    }

    private long waitingValueBytes() {
        return changes.valueBytes();
    }

    private static long bufferBytes(TableContext context) {
        return context.properties().wholeNumber(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES.name());
    }

    static BPlusEngine open(TableContext context) throws IOException {
        TableFiles files = TableFiles.open(context, bufferBytes(context));
        AutoCloseable begun = files;
        try {
            BPlusEngine engine = new BPlusEngine(context, files);
            begun = engine;
            engine.addPages();
            return engine;
        } catch (Throwable e) {
            giveUp(begun, context.directory());
            throw e;
        }
    }

    /** Closes a table that could not be opened. The failure to open it is the one to be thrown. */
    private static void giveUp(AutoCloseable begun, String directory) {
        try {
            begun.close();
        } catch (Throwable e) {
            Notices.warning(BPlusEngine.class, directory, "it could not be closed after it could not be opened", e);
        }
    }

    private void addPages() {
        if (pageStore != null) {
            for (long id = 0; id < pageStore.endOfIds(); id++) {
                if (pageStore.location(id) != 0) {
                    ids.add(id, pageStore.location(id));
                }
            }
        }
        ids.added();
    }

    @Override
    public byte @Nullable [] get(byte[] key, ReadView view) throws IOException {
        StoredValue answer;
        if (view.lsn() == Long.MAX_VALUE) {
            answer = points.getNewest(key);
            maintenance.considerIndex();
        } else {
            answer = points.get(key, view.lsn());
        }
        if (view.barrier()) {
            context.barrier().beforeAnswer(Math.min(answer.lsn(), view.lsn()));
        }
        return answer.value();
    }

    @Override
    public boolean looksBack() {
        return true;
    }

    @Override
    public EngineCursor scan(KeyRange range, ReadView view) throws IOException {
        maintenance.considerOrder();
        return ViewCursor.open(new ViewCursor.Table(changes, reader, valueReader), range, view.lsn(), seen -> {
            changes.blocked().requireFree(range);
            if (view.barrier()) {
                context.barrier().beforeAnswer(seen.newestLsn());
            }
        });
    }

    @Override
    public void admit(long bytes) throws IOException {
        changes.admit();
        values.log().admit();
        maintenance.start();
        buffer.considerGrowth();
        try {
            buffer.makeRoom(ADMITTED_UNITS); // a merge makes room for its own pages, and values need no page
            diskFull = values.log().isFull();
        } catch (RefusedException e) {
            diskFull = true;
        }
    }

    /** Makes room while the disk is full: only removals may then take more memory than there is. */
    private void requireRoom() throws IOException {
        try {
            values.log().write();
            buffer.makeRoom(1);
            diskFull = false;
        } catch (NoSpaceException e) {
            throw new DiskFullException(
                    context.directory() + ": memory is full of what does not fit on the disk; free some space", e);
        } catch (NotOpenedException e) {
            throw new StorageException(
                    context.directory() + ": memory is full of what waits for a file: " + e.getMessage(), e);
        }
    }

    @Override
    public @Nullable Load reserve(List<Mutation> mutations) {
        long debt = space.debtBytes();
        if (space.isLookDue(debt)) {
            return space::lookAtDisk;
        }
        boolean isOver = space.isOver(debt);
        if ((diskFull || isOver) && mutations.stream().anyMatch(Mutation.Put.class::isInstance)) {
            return isOver ? () -> space.await(maintenance::hurry) : this::requireRoom;
        }
        return changes.reserve(mutations);
    }

    @Override
    public void cancel(List<Mutation> mutations) {
        changes.cancel();
    }

    @Override
    public void apply(long lsn, List<Mutation> mutations) {
        changes.apply(lsn, mutations);
    }

    @Override
    public Replay replay() {
        long heldBytes = Math.clamp(bufferBytes(context), LEAST_HELD_BYTES, ChangeArena.MAX_BYTES);
        return new SortedReplay(tree, parts, pages, leastApartBytes, heldBytes);
    }

    @Override
    public void recovered() throws IOException {
        changes.recovered();
        parts.values().log().recovered();
        maintenance.start();
    }

    @Override
    public long checkpoint() throws IOException {
        return checkpoint(false);
    }

    @Override
    public long checkpoint(boolean packs) throws IOException {
        PageStore target = pageStore;
        if (target == null || context.readOnly()) {
            return durableLsn;
        }
        try (RankedLock.Held _ = checkpointing.hold()) {
            if (!closed.get() && (maintenance.takeRelocated() || lastLsn() > durableLsn)) {
                reserve.with(() -> checkpoint(target, packs));
            }
            return durableLsn;
        }
    }

    @Override
    public long lastLsn() {
        return Math.max(changes.lastLsn(), versions.now().lsn());
    }

    private void checkpoint(PageStore target, boolean packs) throws IOException {
        tree.requireWhole();
        if (unusable) {
            throw new StoreFailedException(context.directory() + " failed before; no checkpoint is made", null);
        }
        boolean done = false;
        long begin = context.clock().nanoTime();
        try {
            new Checkpoint(target, parts, context.barrier()).run(changes, packs);
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
                maintenance.relocatedStill();
            }
        }
        durableLsn = target.newest().lsn();
        checkpoints.incrementAndGet();
        checkpointNanos = context.clock().nanoTime();
        checkpointTookNanos = checkpointNanos - begin;
        reclaim.now();
        target.truncate();
    }

    @Override
    public long durableLsn() {
        return durableLsn;
    }

    @Override
    public void flush() throws IOException {
        checkpoint();
    }

    @Override
    public void optimize(Progress progress) throws IOException {
        long bytes = Math.max(1, values.liveBytes());
        if (!progress.advanced(0, bytes)) {
            return;
        }
        if (!context.readOnly()) {
            checkpoint();
            maintenance.optimize();
            checkpoint(true);
        }
        progress.advanced(bytes, bytes);
    }

    @Override
    public EngineStats stats() {
        BPlusStats stats = new BPlusStats();
        stats.addPages(tree, ids, versions, buffer.counts());
        stats.addValues(values, space);
        stats.addReads(index.places(), values);
        stats.add("waiting_changes", changes.size(), "Changes that are to be merged into the tree.");
        long now = context.clock().nanoTime();
        stats.addCheckpoints(checkpoints.get(), checkpointTookNanos, now - checkpointNanos);
        return new EngineStats(
                versions.now().entries() + changes.size(),
                buffer.counts().bytes(),
                diskBytes(),
                durableLsn,
                stats.measures());
    }

    private long diskBytes() {
        long valueBytes = values.liveBytes()
                + values.deadBytes()
                + values.pinnedBytes()
                - values.log().waitingBytes();
        return pageStore == null ? 0 : pageStore.pages().endBytes() + Math.max(0, valueBytes);
    }

    @Override
    public void verify(Findings findings) throws IOException {
        TreeCheck check = changes.whole(
                waitingBytes -> new TreeCheck(buffer, values, versions.look(), values.list(waitingBytes), findings));
        check.run();
        values.log().verify(values.log().segments(), findings);
        long next = 0;
        while (pageStore != null && next < pageStore.endOfIds()) {
            next = verify(pageStore, next, findings);
        }
    }

    /** Verifies a few pages at a time, so that a checkpoint hardly waits. */
    private long verify(PageStore of, long from, Findings findings) throws IOException {
        try (RankedLock.Held _ = checkpointing.hold()) {
            return of.verify(from, findings);
        }
    }

    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            maintenance.stop();
            changes.stop();
            maintenance.alone(this::closeFiles);
        }
    }

    private void closeFiles() throws IOException {
        try (RankedLock.Held _ = checkpointing.hold()) {
            buffer.close();
            index.places().close();
            files.close();
        }
    }
}
