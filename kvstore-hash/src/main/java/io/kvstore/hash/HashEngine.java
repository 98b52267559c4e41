package io.kvstore.hash;

import io.kvstore.data.KeyHash;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.FileHold;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Measures;
import io.kvstore.engine.Progress;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.Closing;
import io.kvstore.error.DiskFullException;
import io.kvstore.hash.file.IndexCommit;
import io.kvstore.hash.file.IndexFile;
import io.kvstore.hash.file.IndexRemains;
import io.kvstore.hash.index.Directory;
import io.kvstore.hash.index.IndexStatistics;
import io.kvstore.hash.index.TableHash;
import io.kvstore.hash.maintenance.Checkpoints;
import io.kvstore.hash.maintenance.HashCheck;
import io.kvstore.hash.maintenance.HashSalvage;
import io.kvstore.hash.maintenance.Maintenance;
import io.kvstore.hash.table.HashCursor;
import io.kvstore.hash.table.IndexLoader;
import io.kvstore.hash.table.IndexRebuild;
import io.kvstore.hash.table.PointReader;
import io.kvstore.hash.table.TableState;
import io.kvstore.hash.table.Writes;
import io.kvstore.io.NoSpaceException;
import io.kvstore.value.ValueSpace;
import io.kvstore.value.ValueStore;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A hash table over a value log. Each value is a record with its key, and {@link Directory} has the place of each key's newest
 * record, in memory. {@link Writes} takes operations, {@link PointReader} and {@link HashCursor} read. {@link Checkpoints} make
 * the index durable, and {@link Maintenance} gives the space of replaced values back. {@link TableState} has the lock.
 */
final class HashEngine implements TableEngine {

    private final TableContext context;
    private final IndexFile file;
    private final Directory directory;
    private final ValueStore values;
    private final TableState state;
    private final PointReader points;
    private final Writes writes;
    private final Checkpoints checkpoints;
    private final ValueSpace space;
    private final Maintenance maintenance;
    private final boolean isLeftOver;

    /** The segments of a damaged table of which not every byte was read when it was opened. */
    private final ValueSegmentList unread;

    /**
     * Settings that are the same for all tables, but for those of tests.
     *
     * @param hashBits how many bits of the hashes are used
     * @param mostDoubtBytes the most memory for the places of keys in doubt, when a damaged table is opened
     */
    record Setup(int hashBits, ValueStore.Sizes segments, long mostDoubtBytes) {

        private static final long MOST_SLACK_BYTES = 80 << 20;
        private static final int SLACK_SEGMENTS = 16;

        static final Setup USUAL =
                new Setup(Long.SIZE, new ValueStore.Sizes(4 << 20, 64 << 20, Integer.MAX_VALUE), Long.MAX_VALUE);

        long slackBytes() {
            return Math.min(MOST_SLACK_BYTES, SLACK_SEGMENTS * segments.leastBytes());
        }
    }

    private HashEngine(Setup setup, IndexFile file, TableState state, boolean isLeftOver, ValueSegmentList unread) {
        this.context = state.context();
        this.file = file;
        this.values = state.records().values();
        this.directory = state.directory();
        this.state = state;
        this.isLeftOver = isLeftOver;
        this.unread = unread;
        this.points = new PointReader(state);
        this.writes = new Writes(state);
        this.checkpoints = new Checkpoints(state, file);
        this.space = new ValueSpace(context, values, state::pendingValueBytes, values::liveBytes, setup.slackBytes());
        this.maintenance = new Maintenance(state, checkpoints, space);
    }

    private static TableState stateOf(TableContext context, TableHash hash, ValueStore values, IndexCommit committed) {
        Directory directory = new Directory(context.memory(), Math.min(committed.entries(), values.mostRecords()));
        return new TableState(context, hash, directory, values, committed.lsn());
    }

    static HashEngine open(TableContext context, Setup setup) throws IOException {
        IndexFile file = IndexFile.open(context);
        AutoCloseable begun = file;
        try {
            IndexLoader.requirePossible(file);
            ValueStore values =
                    ValueStore.open(context, setup.segments(), file.committed().segments());
            begun = () -> closeBoth(file, values);
            TableHash hash = new TableHash(new KeyHash(file.seed()), setup.hashBits());
            TableState state = stateOf(context, hash, values, file.committed());
            HashEngine engine = new HashEngine(setup, file, state, false, ValueSegmentList.EMPTY);
            begun = engine;
            new IndexLoader(engine.state, file.committed().entries()).load(file);
            return engine;
        } catch (Throwable e) {
            Closing.giveUp(begun, HashEngine.class, context.directory());
            throw e;
        }
    }

    /**
     * Opens the rest of a table whose files {@link #open} refuses. Null if the table has neither an index file nor a value
     * segment.
     */
    static @Nullable HashEngine openDamaged(TableContext context, Setup setup, long checkpointLsn, Findings losses)
            throws IOException {
        long known = losses.total();
        ValueStore values = ValueStore.openDamaged(context, setup.segments(), losses);
        AutoCloseable begun = values;
        try (IndexRemains remains = IndexRemains.read(context, losses)) {
            if (remains.isMissing() && values.log().segments().isEmpty()) {
                values.close();
                return null;
            }
            long seed = remains.hasSeed() ? remains.seed() : context.seed();
            boolean isKnown =
                    remains.hasSeed() || !remains.isComplete(); // else the index file leads, with hashes of its own
            TableHash hash = new TableHash(new KeyHash(seed), setup.hashBits(), isKnown);
            TableState state = stateOf(context, hash, values, remains.commit());
            begun = () -> closeBoth(state, values);
            IndexRebuild rebuild = new IndexRebuild(state, remains, losses, setup.mostDoubtBytes());
            long lsn = rebuild.run(losses.total() > known, checkpointLsn);
            IndexCommit found = new IndexCommit(
                    1, lsn, state.directory().entries(), remains.commit().segments());
            return new HashEngine(setup, IndexFile.none(context, seed, found), state, true, rebuild.unread());
        } catch (Throwable e) {
            Closing.giveUp(begun, HashEngine.class, context.directory());
            throw e;
        }
    }

    private static void closeBoth(IndexFile file, ValueStore values) throws IOException {
        try (file) {
            values.close();
        }
    }

    private static void closeBoth(TableState state, ValueStore values) throws IOException {
        try (state) {
            values.close();
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key, ReadView view) throws IOException {
        StoredValue answer = points.get(key, view.lsn(), null);
        answer(view, answer.lsn());
        return answer.value();
    }

    private void answer(ReadView view, long lsn) {
        if (view.barrier()) {
            context.barrier().beforeAnswer(lsn);
        }
    }

    @Override
    public <T extends @Nullable Object> T read(byte[] key, ReadView view, Function<@Nullable ByteBuffer, T> reader)
            throws IOException {
        try (LentValue lent = new LentValue(key)) {
            StoredValue answer = points.get(key, view.lsn(), lent);
            return lent.pass(answer.value(), answer.lsn(), view.barrier() ? context.barrier() : null, reader);
        }
    }

    @Override
    public boolean contains(byte[] key, ReadView view) throws IOException {
        StoredValue answer = points.find(key, view.lsn());
        answer(view, answer.lsn());
        return answer.value() != null;
    }

    @Override
    public boolean looksBack() {
        return true;
    }

    @Override
    public EngineCursor scan(KeyRange range, ReadView view) {
        long lsn = Math.min(view.lsn(), state.appliedLsn());
        answer(view, lsn);
        return new HashCursor(state, points, range, lsn);
    }

    @Override
    public long count(KeyRange range, ReadView view) throws IOException {
        if (range.after() != null) {
            return TableEngine.super.count(range, view);
        }
        TableState.Count count = state.count(view.lsn());
        answer(view, count.lsn());
        return Math.min(range.limit(), count.entries());
    }

    @Override
    public void admit(long bytes) throws IOException {
        values.log().admit();
        maintenance.start();
        maintenance.consider();
    }

    @Override
    public @Nullable Load reserve(List<Mutation> mutations) {
        if (context.readOnly()) {
            return writes.reserve(mutations); // replay, which stays in memory
        }
        long debt = space.debtBytes();
        if (space.isLookDue(debt)) {
            return space::lookAtDisk;
        }
        if (maintenance.isOverChanged()) {
            return maintenance::awaitCheckpoint;
        }
        Load forHistory = state.historyRoom().isFull() ? state.historyRoom().before(mutations) : null;
        if (forHistory != null) {
            return forHistory;
        }
        boolean isOver = space.isOver(debt);
        if ((isOver || values.log().isFull()) && mutations.stream().anyMatch(Mutation.Put.class::isInstance)) {
            return isOver ? this::awaitSpace : this::requireRoom;
        }
        return writes.reserve(mutations);
    }

    private void awaitSpace() {
        space.await(maintenance::hurry);
    }

    /** Writes values that wait, because the disk was full when that was tried last. */
    private void requireRoom() throws IOException {
        try {
            values.log().write();
        } catch (NoSpaceException e) {
            throw new DiskFullException(
                    context.directory() + ": memory is full of values that do not fit on the disk; free some space", e);
        }
    }

    @Override
    public void cancel(List<Mutation> mutations) {
        writes.cancel();
    }

    @Override
    public void apply(long lsn, List<Mutation> mutations) {
        writes.apply(lsn);
    }

    @Override
    public void recovered() throws IOException {
        state.recovered();
        values.log().recovered();
        maintenance.start();
    }

    @Override
    public long checkpoint() throws IOException {
        return checkpoints.make();
    }

    @Override
    public long lastCheckpoint() throws IOException {
        return checkpoints.makeLast();
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
        return state.appliedLsn();
    }

    @Override
    public void flush() throws IOException {
        checkpoints.make();
    }

    @Override
    public void optimize(Progress progress) throws IOException {
        long bytes = Math.max(1, values.liveBytes());
        if (progress.advanced(0, bytes)) {
            if (!context.readOnly()) {
                maintenance.optimize();
            }
            progress.advanced(bytes, bytes);
        }
    }

    @Override
    public EngineStats stats() {
        IndexStatistics index = directory.statistics();
        Measures measures = new Measures();
        measures.add("index_bytes", index.takenBytes(), "Memory of the index.");
        measures.add("index_load_ratio", index.load(), "The part of the index that has entries.");
        measures.add(
                "spilled_entries",
                index.spilledEntries(),
                "Entries that do not lie in the line where a search begins.");
        measures.add("changes_bytes", state.changes().bytes(), "Changes that the index file does not have yet.");
        measures.add("history_bytes", state.historyBytes(), "Old places that open snapshots may need.");
        measures.add(
                "history_limit_bytes",
                context.memory().mostHistoryBytes(),
                "What old places of all tables may take together.");
        measures.add("cold_probes", state.coldProbes(), "Old values that a write had to read from a file.");
        measures.add("value_live_bytes", values.liveBytes(), "Bytes of values with their keys.");
        measures.add("value_dead_bytes", values.deadBytes(), "Bytes of values that were replaced or removed.");
        measures.add("value_pinned_bytes", values.pinnedBytes(), "Bytes that snapshots and the last checkpoint need.");
        checkpoints.addTo(measures);
        maintenance.addTo(measures);
        long valueBytes = values.liveBytes() + values.deadBytes() + values.pinnedBytes();
        long diskBytes = Math.max(0, valueBytes - values.log().waitingBytes()) + checkpoints.fileBytes();
        return new EngineStats(directory.entries(), index.takenBytes(), diskBytes, durableLsn(), measures.all());
    }

    @Override
    public void verify(Findings findings) throws IOException {
        if (isLeftOver) {
            new HashCheck(state, findings).runOverRest(unread);
        } else {
            new HashCheck(state, findings).run(checkpoints);
        }
    }

    @Override
    public long salvage(KeyRange range, Findings losses, BiConsumer<byte[], byte[]> receiver) throws IOException {
        return new HashSalvage(state, losses, receiver).run();
    }

    @Override
    public void close() throws IOException {
        maintenance.stop();
        try (file;
                values) {
            state.close();
        }
    }
}
