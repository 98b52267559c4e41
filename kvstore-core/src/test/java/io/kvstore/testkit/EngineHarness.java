package io.kvstore.testkit;

import io.kvstore.TableConfParamsEnum;
import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableParameter;
import io.kvstore.data.TableProperties;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.Epochs;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.Replay;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.Storage;
import io.kvstore.memory.MemoryBudget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One table of an engine, opened without a store: it plays the log, the write lock, the snapshots and recovery. Writes go
 * through {@link #write} by one thread at a time; the model and the log grow with them.
 *
 * <p>{@link #reopen()} and {@link #after} check what the engine recovered by itself against {@link #modelAt} before they
 * replay the rest of the log.
 */
public final class EngineHarness implements AutoCloseable {

    /** The table's directory in every harness. */
    public static final String DIRECTORY = "tables/7";

    private static final int TABLE_ID = 7;
    private static final int FILE_TAG = 0x07A9;
    private static final long STALL_TIMEOUT_MILLIS = 2_000;
    private static final Map<String, String> COMMON =
            Map.of("DURABILITY", "SYNC", "MAX_VALUE_BYTES", Long.toString(64L << 20));

    private final TableEngineProvider provider;
    private final TableProperties properties;
    private final Storage storage;
    private final List<Logged> log;
    private final ModelTable model;
    private final Epochs epochs = new Epochs();
    private final MemoryBudget memory;
    private final StepClock clock = new StepClock();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final ConcurrentSkipListMap<Long, Integer> openSnapshots = new ConcurrentSkipListMap<>();
    private final WatchedBarrier barrier;
    private StepBackground background = new StepBackground(clock);
    private TableEngine engine;

    /** One operation of the log. */
    public record Logged(long lsn, List<Mutation> mutations) {}

    /** An open snapshot, and what it has to show. */
    public record Snap(ReadView view, ModelTable model) {}

    /** Makes and opens an empty table on a disk of its own. */
    public static EngineHarness create(TableEngineProvider provider, Map<String, ?> given) throws IOException {
        return create(provider, given, new FaultyStorage(new SimStorage()));
    }

    /** Makes and opens an empty table. */
    public static EngineHarness create(TableEngineProvider provider, Map<String, ?> given, Storage storage)
            throws IOException {
        storage.createDirectory("tables");
        storage.createDirectory(DIRECTORY);
        storage.syncDirectory("");
        storage.syncDirectory("tables");
        return new EngineHarness(provider, properties(provider, given), storage, List.of(), 0);
    }

    private EngineHarness(
            TableEngineProvider provider,
            TableProperties properties,
            Storage storage,
            List<Logged> log,
            long logDurableLsn)
            throws IOException {
        this.provider = provider;
        this.properties = properties;
        this.storage = storage;
        boolean canMap = !storage.missingAbilities().contains(FileSystemAbility.MAPPED_FILES);
        this.memory = new MemoryBudget(256L << 20, canMap ? 1L << 20 : 0);
        this.log = new ArrayList<>(log);
        this.model = modelOf(log, Long.MAX_VALUE);
        this.barrier = new WatchedBarrier(epochs, logDurableLsn);
        this.engine = provider.open(context());
        boolean recovered = false;
        try {
            recover();
            recovered = true;
        } finally {
            if (!recovered) {
                engine.close();
            }
        }
    }

    /** All parameters of a table with those given and otherwise their defaults. */
    public static TableProperties properties(TableEngineProvider provider, Map<String, ?> given) {
        Map<String, String> values = new HashMap<>();
        for (TableConfParamsEnum common : TableConfParamsEnum.values()) {
            values.put(common.name(), common.parameter().defaultValue());
        }
        values.putAll(COMMON);
        Map<String, TableParameter> known = new HashMap<>();
        for (TableConfParamsEnum common : TableConfParamsEnum.values()) {
            known.put(common.name(), common.parameter());
        }
        for (TableParameter parameter : provider.parameters()) {
            values.put(parameter.name(), parameter.defaultValue());
            known.put(parameter.name(), parameter);
        }
        given.forEach((name, value) -> {
            TableParameter parameter = known.get(name);
            if (parameter == null) {
                throw new IllegalArgumentException("no parameter " + name + " among " + known.keySet());
            }
            values.put(name, parameter.canonicalOf(value));
        });
        return new TableProperties(values);
    }

    private TableContext context() {
        return new TableContext(
                storage,
                DIRECTORY,
                TABLE_ID,
                FILE_TAG,
                properties,
                barrier,
                cause -> failure.compareAndSet(null, cause),
                () -> openSnapshots.keySet().stream().mapToLong(Long::longValue).toArray(),
                epochs,
                memory,
                background,
                clock,
                STALL_TIMEOUT_MILLIS,
                false,
                1);
    }

    /** Checks what the engine knows by itself, then replays what it does not. */
    private void recover() throws IOException {
        long durable = engine.durableLsn();
        if (durable > barrier.durableLsn()) {
            throw new AssertionError(
                    "the table's files hold lsn " + durable + ", but the log is durable up to " + barrier.durableLsn());
        }
        answers().check(ReadView.LATEST, modelAt(durable));
        Replay replay = engine.replay();
        for (Logged operation : log) {
            if (operation.lsn() > durable) {
                replay.admit(bytesOf(operation.mutations()));
                replay.add(operation.lsn(), operation.mutations());
            }
        }
        replay.flush();
        engine.recovered();
    }

    private void reserve(List<Mutation> mutations) throws IOException {
        for (TableEngine.Load load = engine.reserve(mutations); load != null; load = engine.reserve(mutations)) {
            load.run();
        }
    }

    /** Does what the store does for one operation of this table; returns its lsn. */
    public long write(List<Mutation> mutations) throws IOException {
        admit(mutations);
        long lsn = append(mutations);
        engine.apply(lsn, mutations);
        return lsn;
    }

    /** The first part of {@link #write}: has room for an operation. */
    void admit(List<Mutation> mutations) throws IOException {
        engine.admit(bytesOf(mutations));
        reserve(mutations);
    }

    private static long bytesOf(List<Mutation> mutations) {
        long bytes = 0;
        for (Mutation mutation : mutations) {
            bytes += mutation.key().length + (mutation instanceof Mutation.Put put ? put.value().length : 0);
        }
        return bytes;
    }

    /** The second part: the operation is in the log, and {@link TableEngine#apply} is all that is left. */
    long append(List<Mutation> mutations) {
        long lsn = lastLsn() + 1 + log.size() % 3;
        log.add(new Logged(lsn, mutations));
        model.apply(mutations);
        return lsn;
    }

    /** Sets one value. */
    public long put(byte[] key, byte[] value) throws IOException {
        return write(List.of(new Mutation.Put(key, value)));
    }

    /** Removes one key. */
    public long remove(byte[] key) throws IOException {
        return write(List.of(new Mutation.Remove(key)));
    }

    /** Opens a snapshot of the latest state. */
    public Snap openSnapshot() {
        openSnapshots.merge(lastLsn(), 1, Integer::sum);
        return new Snap(ReadView.at(lastLsn()), model.snapshot());
    }

    /** Closes a snapshot. */
    public void close(Snap snapshot) {
        openSnapshots.computeIfPresent(snapshot.view().lsn(), (lsn, count) -> count == 1 ? null : count - 1);
    }

    /** The answers of the engine, to be compared with those of a model. */
    TableAnswers answers() {
        return new TableAnswers(engine, provider.isOrdered());
    }

    /** Whether the table keeps its entries in the order of keys. */
    boolean isOrdered() {
        return provider.isOrdered();
    }

    /** Fails unless the latest state is what the model says, through every kind of read. */
    public void check() throws IOException {
        answers().check(ReadView.LATEST, model);
    }

    /** Fails unless a snapshot shows what it has to. */
    public void check(Snap snapshot) throws IOException {
        answers().check(snapshot.view(), snapshot.model());
    }

    /** The entries that a scan gives, its limit and keys-only honoured. */
    public List<Entry> scan(KeyRange range) throws IOException {
        try (EngineCursor cursor = engine.scan(range, ReadView.LATEST)) {
            return TableAnswers.entries(cursor, range);
        }
    }

    /** Closes and opens again, checks what was recovered, and replays. */
    public void reopen() throws IOException {
        close();
        background = new StepBackground(clock);
        engine = provider.open(context());
        recover();
    }

    /**
     * Opens what a crash left of this table's disk.
     *
     * @param disk the disk, as {@link SimStorage#crash} gave it
     * @param logEnd the last lsn that is left of the log
     */
    public EngineHarness after(SimStorage disk, long logEnd) throws IOException {
        return after(new FaultyStorage(disk), logEnd);
    }

    /** Opens what a crash left of this table's disk, through a storage that may fail. */
    public EngineHarness after(FaultyStorage disk, long logEnd) throws IOException {
        List<Logged> left =
                log.stream().filter(operation -> operation.lsn() <= logEnd).toList();
        return new EngineHarness(provider, properties, disk, left, logEnd);
    }

    /** The state after the operation {@code lsn}. */
    public ModelTable modelAt(long lsn) {
        return modelOf(log, lsn);
    }

    private static ModelTable modelOf(List<Logged> log, long lsn) {
        ModelTable state = new ModelTable();
        for (Logged operation : log) {
            if (operation.lsn() <= lsn) {
                state.apply(operation.mutations());
            }
        }
        return state;
    }

    /** Closes the engine; fails if it keeps memory, files, an epoch, or hid a failure. */
    @Override
    public void close() throws IOException {
        engine.close();
        background.close();
        epochs.reclaim();
        epochs.reclaim();
        require(epochs.isQuiescent(), "a reader is inside an epoch");
        require(epochs.pending() == 0, epochs.pending() + " retired things were not given back");
        long keptBytes = memory.writeBlocks().keptBytes();
        require(memory.usedBytes() == keptBytes, "memory is not given back: " + memory.usedByUse());
        require(memory.usedByUse().getOrDefault(MemoryBudget.Use.CHANGES, 0L) == 0, "changes count on the heap");
        require(memory.usedByUse().getOrDefault(MemoryBudget.Use.HISTORY, 0L) == 0, "old places count on the heap");
        require(storage.openResources() == 0, storage.openResources() + " files or mappings are open");
        if (!background.failures().isEmpty()) {
            throw new AssertionError(
                    "a background task failed", background.failures().get(0));
        }
    }

    /** Leaves the engine as it is, as a crash does. */
    public void abandon() {
        background.close();
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new AssertionError("after close: " + message);
        }
    }

    /** The engine that is open now. */
    public TableEngine engine() {
        return engine;
    }

    /** What the table should answer now. */
    public ModelTable model() {
        return model;
    }

    /** Every operation so far. */
    public List<Logged> log() {
        return List.copyOf(log);
    }

    /** The lsn of the last operation, 0 before the first. */
    public long lastLsn() {
        return log.isEmpty() ? 0 : log.get(log.size() - 1).lsn();
    }

    /** The log as the engine sees it. */
    public WatchedBarrier barrier() {
        return barrier;
    }

    /** The background work of the engine that is open now. */
    public StepBackground background() {
        return background;
    }

    /** What the engine reported as final, or null. */
    public @Nullable Throwable failure() {
        return failure.get();
    }

    /** The memory of the table. */
    public MemoryBudget memory() {
        return memory;
    }
}
