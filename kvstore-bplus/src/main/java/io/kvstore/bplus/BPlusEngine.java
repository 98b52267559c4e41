package io.kvstore.bplus;

import io.kvstore.bplus.buffer.LoadedPages;
import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.buffer.PageIds;
import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.file.PageStore;
import io.kvstore.bplus.file.Superblock;
import io.kvstore.bplus.file.TableFiles;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.lock.TreeLocks;
import io.kvstore.bplus.maintenance.Checkpoints;
import io.kvstore.bplus.maintenance.Maintenance;
import io.kvstore.bplus.maintenance.Reclaim;
import io.kvstore.bplus.maintenance.Slack;
import io.kvstore.bplus.pending.ChangeBuffer;
import io.kvstore.bplus.pending.LayerMerge;
import io.kvstore.bplus.pending.SortedReplay;
import io.kvstore.bplus.pending.ViewCount;
import io.kvstore.bplus.pending.ViewCursor;
import io.kvstore.bplus.pending.WaitingView;
import io.kvstore.bplus.tree.LeafSalvage;
import io.kvstore.bplus.tree.SortedMerge;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeCheck;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.bplus.tree.TreeReader;
import io.kvstore.bplus.tree.TreeSeparators;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.bplus.tree.ValueReader;
import io.kvstore.data.KeyHash;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableProperties;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.FileHold;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Measures;
import io.kvstore.engine.Progress;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.Replay;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.Closing;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.StorageException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.NotOpenedException;
import io.kvstore.io.RefusedException;
import io.kvstore.value.ValueIndex;
import io.kvstore.value.ValueLog;
import io.kvstore.value.ValueSpace;
import io.kvstore.value.ValueStore;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.StoredValue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A B+tree over a page buffer. Applied changes go to the {@link ChangeBuffer}, and from there to the tree, many at a time.
 * {@link Tree} is the writing side of the tree, and {@link TreeReader} the reading side. {@link PageBuffer} has the pages that
 * are in memory. {@link TreeVersions} keeps older states, {@link Checkpoints} bring a state to the file, and
 * {@code ValueRelocation} gives the space of values back.
 *
 * <p>{@link TreeLocks} has the locks and their order.
 */
final class BPlusEngine implements TableEngine {

    /** The hash index takes up to this part of the page buffer's limit, beside the page buffer. */
    private static final int INDEX_PART = 4;

    private static final int ADMITTED_UNITS = 4;

    /** A cursor walks over fewer entries than this in less time than a count of the leaves around them takes. */
    private static final int NEAR_ENTRIES = 256;

    /** At least this many bytes of one operation are held when it is replayed, and more if the page buffer may be larger. */
    private static final long LEAST_HELD_BYTES = 1 << 20;

    private final TableContext context;
    private final TableFiles files;
    private final @Nullable PageStore pageStore;
    private final TreeParts parts;
    private final Tree tree;
    private final ChangeBuffer changes;
    private final TreeReader reader;
    private final PointReader points;
    private final ValueReader valueReader;
    private final Maintenance maintenance;
    private final int leastApartBytes;
    private final ValueSpace space;
    private final Reclaim reclaim;
    private final Checkpoints checkpoints;
    private final PageSupply pages;
    private volatile boolean diskFull;

    private BPlusEngine(TableContext context, TableFiles files) throws IOException {
        PageStore pageStore = files.pageStore();
        this.pageStore = pageStore;
        ValueStore values = files.values();
        Superblock state = pageStore == null ? Superblock.EMPTY : pageStore.newest();
        TreeLocks locks = new TreeLocks();
        this.context = context;
        this.files = files;
        PageIds ids = new PageIds(pageStore == null ? 1 : Math.max(1, pageStore.endOfIds()));
        TreeVersions versions = new TreeVersions(
                context.snapshots(),
                new TreeVersions.State(state.rootId(), state.lsn(), state.entries()),
                this::segmentsEnd);
        Slack slack = new Slack(context, values, this::waitingValueBytes, bufferBytes(context));
        this.space = slack.space();
        PageBuffer buffer = new PageBuffer(context, bufferBytes(context), pageStore, ids, locks.writing());
        this.leastApartBytes = Math.min(context.properties().valueThresholdBytes(), Tree.MAX_INLINE_BYTES + 1);
        long placesBytes = bufferBytes(context) / INDEX_PART;
        HashIndex places = new HashIndex(context.memory(), placesBytes, new KeyHash(context.seed()));
        ValueIndex index = new ValueIndex(places, values.log());
        this.parts = new TreeParts(buffer, ids, versions, values, index, locks);
        locks.setMonitor(TreeLocks.Rank.VERSIONS, versions);
        locks.setMonitor(TreeLocks.Rank.BUFFER, buffer);
        locks.setMonitor(TreeLocks.Rank.IDS, ids);
        if (pageStore != null) {
            locks.setMonitor(TreeLocks.Rank.PLACES, pageStore.pages().places());
        }
        int order = (int) context.properties().wholeNumber(BPlusConfParamsEnum.BTREE_ORDER.name());
        this.tree = new Tree(parts, context.failures(), order);
        this.reclaim = new Reclaim(tree, parts, slack, () -> pageStore != null && pageStore.hasFailed());
        this.pages = new LoadedPages(buffer, ids, reclaim::someTime);
        SortedMerge sorted = new SortedMerge(tree, parts, pages, true);
        LayerMerge.Pace pace = new LayerMerge.Pace(this::areMergesHeldBack, this::afterMerge);
        LayerMerge merge = new LayerMerge(context, tree, sorted, locks.writing(), pace);
        ChangeBuffer.Sizes sizes = new ChangeBuffer.Sizes(
                leastApartBytes, bufferBytes(context), slack.leastLayerBytes(), slack::mostLayerBytes);
        this.changes = new ChangeBuffer(context, tree, parts, merge, sizes);
        this.valueReader = new ValueReader(values, index, context.barrier(), buffer.file());
        this.reader = new TreeReader(buffer, tree, valueReader);
        this.points = new PointReader(changes, reader, valueReader);
        this.checkpoints = new Checkpoints(files, tree, parts, changes, reclaim);
        this.maintenance = new Maintenance(tree, parts, pages, valueReader, checkpoints);
    }

    private boolean areMergesHeldBack() {
        return checkpoints.holdsMergesBack();
    }

    /** Called after a merge. Values may be dead now, and whole segments of them. */
    private void afterMerge() {
        reclaim.segments();
        maintenance.consider();
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
        return open(context, TableFiles.open(context, bufferBytes(context)));
    }

    /** Opens the readable files of a table that {@link #open} refuses. */
    static BPlusEngine openDamaged(TableContext context, Findings losses) throws IOException {
        return open(context, TableFiles.openDamaged(context, bufferBytes(context), losses));
    }

    private static BPlusEngine open(TableContext context, TableFiles files) throws IOException {
        AutoCloseable begun = files;
        try {
            BPlusEngine engine = new BPlusEngine(context, files);
            begun = engine;
            engine.addPages();
            return engine;
        } catch (Throwable e) {
            Closing.giveUp(begun, BPlusEngine.class, context.directory());
            throw e;
        }
    }

    private void addPages() {
        long end = pageStore == null ? 0 : pageStore.endOfIds();
        for (long id = 0; pageStore != null && id < end; id++) {
            if (pageStore.location(id) != 0) {
                parts.ids().add(id, pageStore.location(id));
            }
        }
        parts.ids().added();
    }

    @Override
    public byte @Nullable [] get(byte[] key, ReadView view) throws IOException {
        StoredValue answer;
        if (view.lsn() == Long.MAX_VALUE) {
            answer = points.getNewest(key, null);
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
    public <T extends @Nullable Object> T read(byte[] key, ReadView view, Function<@Nullable ByteBuffer, T> reader)
            throws IOException {
        if (view.lsn() != Long.MAX_VALUE) {
            return TableEngine.super.read(key, view, reader);
        }
        try (LentValue lent = new LentValue(key)) {
            StoredValue answer = points.getNewest(key, lent);
            maintenance.considerIndex();
            return lent.pass(answer.value(), answer.lsn(), view.barrier() ? context.barrier() : null, reader);
        }
    }

    @Override
    public boolean contains(byte[] key, ReadView view) throws IOException {
        if (view.lsn() != Long.MAX_VALUE) {
            return TableEngine.super.contains(key, view);
        }
        StoredValue answer = points.findNewest(key);
        if (view.barrier()) {
            context.barrier().beforeAnswer(answer.lsn());
        }
        return answer.value() != null;
    }

    @Override
    public boolean looksBack() {
        return true;
    }

    @Override
    public EngineCursor scan(KeyRange range, ReadView view) throws IOException {
        maintenance.considerOrder();
        return ViewCursor.open(looked(), range, view.lsn(), seen -> requireShown(seen, range, view));
    }

    private ViewCursor.Table looked() {
        return new ViewCursor.Table(changes, reader, valueReader);
    }

    private void requireShown(WaitingView seen, KeyRange range, ReadView view) {
        changes.blocked().requireFree(range);
        if (view.barrier()) {
            context.barrier().beforeAnswer(seen.newestLsn());
        }
    }

    @Override
    public long count(KeyRange range, ReadView view) throws IOException {
        return range.limit() <= NEAR_ENTRIES
                ? TableEngine.super.count(range, view)
                : counted(range, view).all();
    }

    @Override
    public byte @Nullable [] keyAt(KeyRange range, long index, ReadView view) throws IOException {
        if (index < NEAR_ENTRIES) {
            return TableEngine.super.keyAt(range, index, view);
        }
        if (range.reversed()) {
            KeyRange forward = range.reverse().limit(Long.MAX_VALUE);
            long behind = count(forward, view) - 1 - index;
            return behind < 0 ? null : keyAt(forward, behind, view);
        }
        ViewCount before = counted(range, view);
        return before.find(index) ? TableEngine.super.keyAt(before.rest(), index - before.count(), view) : null;
    }

    @Override
    public List<byte[]> separators(KeyRange range, int wanted) throws IOException {
        try (TreeVersions.Look look = changes.look(Long.MAX_VALUE)) {
            return new TreeSeparators(reader, look.state(), range).find(wanted);
        }
    }

    private ViewCount counted(KeyRange range, ReadView view) {
        return new ViewCount(looked(), range, view.lsn(), seen -> requireShown(seen, range, view));
    }

    @Override
    public void admit(long bytes) throws IOException {
        changes.admit();
        parts.values().log().admit();
        maintenance.start();
        parts.buffer().considerGrowth();
        try {
            parts.buffer().makeRoom(ADMITTED_UNITS); // a merge makes room for its own pages, and values need no page
            diskFull = parts.values().log().isFull();
        } catch (RefusedException e) {
            diskFull = true;
        }
    }

    /** Makes room while the disk is full: only removals may then take more memory than there is. */
    private void requireRoom() throws IOException {
        try {
            parts.values().log().write();
            parts.buffer().makeRoom(1);
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
        return checkpoints.make(false);
    }

    @Override
    public long durableLsn() {
        return checkpoints.durableLsn();
    }

    @Override
    public FileHold hold() throws IOException {
        return checkpoints.hold();
    }

    @Override
    public long appliedLsn() {
        return changes.appliedLsn();
    }

    @Override
    public void flush() throws IOException {
        checkpoint();
    }

    @Override
    public void optimize(Progress progress) throws IOException {
        long bytes = Math.max(1, parts.values().liveBytes());
        if (!progress.advanced(0, bytes)) {
            return;
        }
        if (!context.readOnly()) {
            checkpoint();
            maintenance.optimize();
            checkpoints.make(true);
        }
        progress.advanced(bytes, bytes);
    }

    /** The change buffer, the hash index and the slack of the files keep their sizes until the next opening. */
    @Override
    public void adopt(TableProperties properties) {
        parts.buffer().limit(properties.wholeNumber(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES.name()));
    }

    @Override
    public EngineStats stats() {
        Measures measures = new Measures();
        PageBuffer.Counts counts = parts.buffer().counts();
        addPageMeasures(measures, counts);
        addValueMeasures(measures);
        measures.add("waiting_changes", changes.size(), "Changes that are to be merged into the tree.");
        String passed = "Removed keys that cursors walked over, where many followed each other.";
        measures.add("removed_passed", changes.emptySpans().passedKeys(), passed);
        checkpoints.addTo(measures);
        return new EngineStats(
                parts.versions().now().entries() + changes.size(),
                counts.bytes(),
                checkpoints.diskBytes(),
                checkpoints.durableLsn(),
                measures.all());
    }

    private void addPageMeasures(Measures measures, PageBuffer.Counts counts) {
        measures.add("height_levels", tree.height(), "Pages from the root to a leaf, if it was read.");
        measures.add("pages", parts.ids().liveCount(), "Pages of the tree.");
        measures.add("resident_units", counts.units(), "Units of 4 KiB in the page buffer.");
        measures.add("dirty_pages", counts.dirtyPages(), "Pages in memory that the file has not got.");
        measures.add("page_loads", counts.loads(), "Pages read from the file since the table was opened.");
        measures.add("page_hit_ratio", counts.hitRatio(), "Pages found in memory; an estimate.");
        measures.add("leaf_fill_ratio", counts.leafFill(), "Leaves in memory; an estimate.");
        measures.add("page_evictions", counts.evictions(), "Pages evicted since the table was opened.");
        measures.add("retired_pages", parts.versions().retiredPages(), "Pages kept for older states.");
    }

    private void addValueMeasures(Measures measures) {
        ValueStore values = parts.values();
        ValueLog log = values.log();
        HashIndex places = parts.index().places();
        measures.add("value_segments", log.segments().size(), "Files of values that are kept apart.");
        measures.add("value_live_bytes", values.liveBytes(), "Bytes of values that the table has now.");
        measures.add("value_dead_bytes", values.deadBytes(), "Bytes of values that were replaced or removed.");
        measures.add("value_pinned_bytes", values.pinnedBytes(), "Bytes of values that only older states have.");
        measures.add("value_waiting_bytes", log.waitingBytes(), "Bytes of values that are not in a file yet.");
        String debt = "Bytes of values that are to be given back, waiting changes included.";
        measures.add("value_debt_bytes", space.debtBytes(), debt);
        measures.add("value_debt_limit_bytes", space.limitBytes(), "Writers wait while there is more of that.");
        String uncached = "Bytes of values written past the system's cache of files since the table was opened.";
        measures.add("value_uncached_bytes", log.uncachedBytes(), uncached);
        measures.add("hash_index_bytes", places.bytes(), "Memory of the hash index.");
        measures.add("hash_index_entries", places.entries(), "Values that the hash index knows the place of.");
        measures.add("value_scattered_reads", log.scattered(), "Values scans read from elsewhere, since ordered.");
    }

    @Override
    public void verify(Findings findings) throws IOException {
        changes.whole(waitingBytes -> new TreeCheck(parts, parts.values().list(waitingBytes), findings))
                .run();
        parts.values().log().verify(parts.values().log().segments(), findings);
        long next = 0;
        while (pageStore != null && next < pageStore.endOfIds()) {
            next = verify(pageStore, next, findings);
        }
    }

    @Override
    public long salvage(KeyRange range, Findings losses, BiConsumer<byte[], byte[]> receiver) throws IOException {
        LeafSalvage leaves = new LeafSalvage(parts, range, losses, receiver);
        PageStore of = pageStore;
        return of == null ? 0 : leaves.run(of.endOfIds(), id -> of.location(id) != 0);
    }

    /** Verifies a few pages at a time, so that a checkpoint hardly waits. */
    private long verify(PageStore of, long from, Findings findings) throws IOException {
        try (RankedLock.Held _ = parts.locks().checkpointing().hold()) {
            return of.verify(from, findings);
        }
    }

    @Override
    public void close() throws IOException {
        if (checkpoints.close()) {
            maintenance.stop();
            changes.stop();
            maintenance.alone(this::closeFiles);
        }
    }

    private void closeFiles() throws IOException {
        try (RankedLock.Held _ = parts.locks().checkpointing().hold()) {
            parts.buffer().close();
            parts.index().places().close();
            files.close();
        }
    }
}
