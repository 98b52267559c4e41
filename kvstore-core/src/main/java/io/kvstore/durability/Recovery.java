package io.kvstore.durability;

import static java.util.Objects.requireNonNull;

import io.kvstore.catalog.Catalog;
import io.kvstore.catalog.CatalogState;
import io.kvstore.catalog.TableInfo;
import io.kvstore.data.Durability;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.durability.background.PatientBackground;
import io.kvstore.durability.background.ThreadedBackground;
import io.kvstore.engine.Background;
import io.kvstore.engine.Epochs;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Patience;
import io.kvstore.engine.Replay;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.Closing;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.Notices;
import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageLock;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.wal.Held;
import io.kvstore.wal.KeptRecords;
import io.kvstore.wal.LogRecovery;
import io.kvstore.wal.LogReplay;
import io.kvstore.wal.WriteAheadLog;
import io.kvstore.wal.format.StoreId;
import io.kvstore.wal.segment.LogConfig;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens a store: {@code state = engine at durableLsn() + log records after it}, for every engine.
 *
 * <p>Damage to the catalog or the log refuses the store before anything is written. A damaged table fails alone. The steps are
 * in {@code docs/recovery.md}. A store that is opened for a check or a salvage ({@link DamagedStore}) is only read, and
 * nothing refuses it.
 *
 * <p>Invariants: the next lsn is above every lsn in the log, in any engine and in the catalog. A record of a table id that the
 * catalog has not given out refuses the store. A record of a dropped table is skipped. Recovery can be killed at any point and
 * run again.
 */
public final class Recovery {

    /** The length of a log segment where no table is logged: the least that the option allows. */
    private static final long UNUSED_SEGMENT_BYTES = 64 << 10;

    private final StoreSetup setup;
    private final Storage storage;
    private final Background background;
    private final Health health = new Health();
    private final LogBarrier.LogSource logSource = new LogBarrier.LogSource();

    private Recovery(StoreSetup setup) {
        this.setup = setup;
        this.storage = setup.storage();
        Background given = setup.background();
        this.background = new PatientBackground(given != null ? given : new ThreadedBackground());
    }

    /**
     * The result of recovery.
     *
     * @param records log records read
     * @param applied records applied to at least one table
     * @param tornBytes bytes behind the end of the log that were never acknowledged as durable
     * @param damages damaged places of the log whose content no table needs any more
     * @param millis how long it took
     */
    public record Report(long records, long applied, long tornBytes, List<String> damages, long millis) {}

    /** Opens the store, creating it if the directory is empty. */
    public static OpenStore open(StoreSetup setup) throws IOException {
        Recovery recovery = new Recovery(setup);
        StorageLock lock = null;
        try {
            if (setup.damaged() == null) {
                StoreFiles.holdsStore(setup.storage()); // refuses a foreign directory before anything is made in it
            } else {
                StoreFiles.requireParts(setup.storage());
            }
            lock = setup.readOnly()
                    ? setup.storage().lockShared(StoreFiles.LOCK)
                    : setup.storage().lock(StoreFiles.LOCK);
            return recovery.run(lock);
        } catch (Throwable e) {
            recovery.giveUp(lock);
            throw e;
        }
    }

    /** A failure here is logged only, because the failure to open the store is thrown. Takes no memory, as may be none left. */
    private void giveUp(@Nullable StorageLock lock) {
        try {
            release(lock);
        } catch (Throwable e) {
            Notices.warning(Recovery.class, StoreFiles.LOCK, "it may stay locked until the process ends", e);
        }
    }

    /** As {@link #giveUp(StorageLock)}. */
    private static void giveUp(Schema schema) {
        try {
            schema.close();
        } catch (Throwable e) {
            Notices.warning(Recovery.class, StoreFiles.TABLES, "not all tables could be closed", e);
        }
    }

    private void release(@Nullable StorageLock lock) throws IOException {
        try {
            if (setup.background() == null) {
                background.close();
            }
        } finally {
            if (lock != null && (setup.background() != null || background.hasEnded())) {
                lock.close();
            }
        }
    }

    private OpenStore run(StorageLock lock) throws IOException {
        long start = setup.clock().nanoTime();
        if (setup.damaged() == null && !StoreFiles.holdsStore(storage)) {
            create();
        }
        Catalog catalog = openCatalog();
        CatalogState state = catalog.state();
        StoreId storeId = storeId(catalog);
        LogConfig config =
                logConfig(storeId, () -> namesLast() ? catalog.state().revision() : 0);
        LogRecovery log = readLog(config, state);
        KeptRecords kept = KeptRecords.find(storage, storeId);
        if (!setup.readOnly()) {
            // the catalog's rename may not be durable yet; it must not be undone after files were swept for it
            storage.syncDirectory("");
            StoreFiles.sweepTables(storage, state);
            kept.sweep(state::hasKept);
        }
        StoreServices services = new StoreServices(
                setup,
                storage,
                catalog,
                kept,
                logSource,
                health,
                new Epochs(),
                new CallGate(),
                new SnapshotRegistry(setup.clock()),
                new MemoryBudget(setup.memoryBytes(), setup.canMap() ? setup.mappableBytes() : 0),
                background);
        Schema schema = new Schema(services);
        try {
            long applied = recoverTables(schema, services, log);
            long millis = (setup.clock().nanoTime() - start) / 1_000_000;
            Report report = log == null
                    ? new Report(0, applied, 0, List.of(), millis)
                    : new Report(log.records(), applied, log.tornBytes(), log.damages(), millis);
            tell(report);
            return new OpenStore(services, schema, lock, report);
        } catch (Throwable e) {
            giveUp(schema);
            if (logSource.isSet()) {
                Closing.giveUp(services.log(), Recovery.class, StoreFiles.WAL);
            }
            throw e;
        }
    }

    private static StoreId storeId(Catalog catalog) {
        return new StoreId(catalog.state().storeIdHigh(), catalog.state().storeIdLow());
    }

    private Catalog openCatalog() throws IOException {
        DamagedStore damaged = setup.damaged();
        if (damaged != null) {
            return damaged.openCatalog(logConfig(new StoreId(0, 0), () -> 0));
        }
        return Catalog.open(storage, cause -> StoreServices.fail(health, logSource, cause));
    }

    /** Null if the log is damaged, and what is whole is to be read. */
    private @Nullable LogRecovery readLog(LogConfig config, CatalogState state) throws IOException {
        if (state.firstLogSegment() == 0) {
            return null; // the catalog was made of labels, which do not tell where the log begins
        }
        try {
            LogRecovery log = LogRecovery.scan(
                    config,
                    state.firstLogSegment(),
                    state.newestLogSegment(),
                    held(state),
                    table -> checkId(table, state));
            checkRevision(state, log);
            return log;
        } catch (CorruptionException e) {
            refuse(setup, e);
            return null;
        }
    }

    private static Held held(CatalogState catalog) {
        long byAll = catalog.tables().values().stream()
                .filter(table -> table.properties().flag("ENABLE_WAL") && !catalog.isPassing(table))
                .mapToLong(TableInfo::heldLsn)
                .min()
                .orElse(0);
        return new Held(catalog::heldLsn, Math.max(catalog.completeLsn(), byAll));
    }

    private void tell(Report report) {
        if (report.tornBytes() > 0) {
            Notices.warning(
                    Recovery.class,
                    null,
                    "the log ended in " + report.tornBytes()
                            + " bytes that were never acknowledged as durable; cut off",
                    null);
        }
        for (String damage : report.damages()) {
            Notices.warning(Recovery.class, null, damage + ". Nothing is lost, but the disk should be looked at", null);
        }
        if (report.applied() > 0) {
            Notices.info(
                    Recovery.class,
                    null,
                    "recovered " + report.applied() + " operations in " + report.millis() + " ms",
                    null);
        }
    }

    private void create() throws IOException {
        if (setup.readOnly()) {
            throw new InvalidRequestException(storage + " holds no store, and read-only creates none");
        }
        StoreFiles.prepareNew(storage);
        SecureRandom random = new SecureRandom();
        StoreId id = new StoreId(random.nextLong(), random.nextLong());
        Catalog.create(storage, id.high(), id.low(), LogRecovery.create(logConfig(id, () -> 0)));
    }

    /** Whether the name of a new catalog is durable. Otherwise a loss of power may bring an older one back. */
    private boolean namesLast() {
        return !storage.missingAbilities().contains(FileSystemAbility.DIRECTORY_SYNC);
    }

    private LogConfig logConfig(StoreId id, LongSupplier catalog) {
        return new LogConfig(
                storage,
                StoreFiles.WAL,
                id,
                landing(),
                storage.isVolatile() ? UNUSED_SEGMENT_BYTES : setup.walSegmentBytes(),
                setup.logLimitBytes(),
                setup.syncIntervalMillis(),
                background,
                health::fail,
                setup.clock(),
                catalog);
    }

    /**
     * Whatever the landing, a record has left the process when its operation is acknowledged. A mapping brings that about by
     * itself. Where files cannot be mapped, nothing may stand for one: bytes in memory that are written later would be
     * acknowledged too early.
     */
    private LogConfig.Landing landing() {
        return setup.durability() == Durability.BUFFERED && setup.canMap() && !storage.isVolatile()
                ? LogConfig.Landing.MAPPED
                : LogConfig.Landing.STAGED;
    }

    private static void checkId(int table, CatalogState catalog) {
        if (Integer.compareUnsigned(table, catalog.nextTableId()) >= 0) {
            throw new CorruptionException(
                    Catalog.FILE,
                    -1,
                    "the log has records of table id " + Integer.toUnsignedString(table)
                            + ", which this catalog never gave out; an older catalog was put back. Restore the newest");
        }
    }

    /** An older catalog lists tables that are gone, whose files may still be there, and would let younger ones be swept. */
    private static void checkRevision(CatalogState catalog, LogRecovery log) {
        if (log.catalogRevision() > catalog.revision()) {
            throw new CorruptionException(
                    Catalog.FILE,
                    -1,
                    "this is revision " + catalog.revision() + " of the catalog, but the log knows of revision "
                            + log.catalogRevision()
                            + "; an older catalog was put back. Restore the newest; nothing was changed");
        }
    }

    private long recoverTables(Schema schema, StoreServices services, @Nullable LogRecovery log) throws IOException {
        Map<Integer, OpenTable> tables = new HashMap<>();
        long floor = 0;
        for (TableInfo info : services.catalog().state().tables().values()) {
            if (services.catalog().state().isPassing(info)) {
                continue; // only a store that is opened read-only still has some, and their files say nothing
            }
            OpenTable table = schema.recover(info);
            if (log != null) {
                // damaged files may have records that were never acknowledged, which their index would have hidden
                long lastLsn = schema.opener().isLeftOver(info.id()) ? 0 : table.lastLsn();
                checkLogReaches(Math.max(info.checkpointLsn(), lastLsn), table, log);
            }
            tables.put(info.id(), table);
            floor = Math.max(floor, Math.max(info.heldLsn(), table.lastLsn()));
        }
        DamagedStore damaged = setup.damaged();
        if (damaged != null) {
            damaged.found(logConfig(storeId(services.catalog()), () -> 0), log, services);
            tables.forEach((id, table) -> damaged.found(table, schema.opener().isLeftOver(id)));
            tellRecovered(tables);
            return 0;
        }
        return replay(tables, schema, services, requireNonNull(log), floor);
    }

    private long replay(
            Map<Integer, OpenTable> tables, Schema schema, StoreServices services, LogRecovery log, long floor)
            throws IOException {
        if (!setup.readOnly()) {
            WriteAheadLog opened = log.open(floor);
            logSource.set(opened);
            // on a full disk, files of passing tables and of the log made room for the catalog before
            services.catalog().removePassing();
            services.catalog().logSegmentMade(opened.currentSegment());
        }
        Replayer replayer = new Replayer(tables, schema, setup.walSegmentBytes());
        for (TableInfo info : services.catalog().state().tables().values()) {
            replayer.applyKept(info, services.kept());
        }
        log.replay(replayer);
        replayer.flush();
        tellRecovered(tables);
        if (!setup.readOnly()) {
            log.deleteDead();
        }
        return replayer.applied;
    }

    private static void tellRecovered(Map<Integer, OpenTable> tables) throws IOException {
        for (OpenTable table : tables.values()) {
            Incarnation incarnation = table.incarnationOrNull();
            if (incarnation != null) {
                incarnation.engine().recovered();
            }
        }
    }

    /** The operations that a table holds were in the log on disk before. A log that ends below them has lost records. */
    private void checkLogReaches(long lsn, OpenTable table, LogRecovery log) {
        if (table.isLogged() && lsn > log.knownLsn()) {
            refuse(
                    setup,
                    new CorruptionException(
                            StoreFiles.WAL,
                            -1,
                            "the log ends at lsn " + log.knownLsn() + ", but table " + table.database() + "/"
                                    + table.name()
                                    + " was durable up to " + lsn
                                    + "; log files are damaged, missing or of an older copy. Restore the newest"));
        }
    }

    /** Throws, unless the store is opened for a check or a salvage. */
    static void refuse(StoreSetup setup, CorruptionException damage) {
        Findings losses = setup.losses();
        if (losses == null) {
            throw damage;
        }
        losses.report(damage);
    }

    /** Hands log records to the engines that do not have them. A table whose files turn out to be damaged fails alone. */
    private static final class Replayer implements LogReplay {

        /** The most bytes that all engines together hold back to apply them in a better order. */
        private static final long MAX_HELD_BYTES = 64 << 20;

        private static final int HEAP_PART = 16;

        private final Map<Integer, OpenTable> tables;
        private final Schema schema;
        private final Map<OpenTable, Replay> replays = new HashMap<>();
        private final long maxHeldBytes;
        private long heldBytes;
        private long applied;

        Replayer(Map<Integer, OpenTable> tables, Schema schema, long segmentBytes) {
            this.tables = tables;
            this.schema = schema;
            long heapBytes = Runtime.getRuntime().maxMemory();
            this.maxHeldBytes = Math.min(Math.min(MAX_HELD_BYTES, segmentBytes), heapBytes / HEAP_PART);
        }

        /** Applies the records that are kept beside the log. They are older than the table's records in the log. */
        void applyKept(TableInfo info, KeptRecords kept) throws IOException {
            OpenTable table = tables.get(info.id());
            Incarnation incarnation = table == null ? null : table.incarnationOrNull();
            if (table != null && incarnation != null) {
                long above = incarnation.engine().durableLsn();
                if (info.keptLsn() > above) {
                    unlessDamaged(table, () -> kept.replay(info.id(), above, info.keptLsn(), this));
                }
            }
        }

        /** Applies a record to the tables that do not have it. Their files, or kept records, may have brought it already. */
        @Override
        public void apply(long lsn, List<TableMutations> operation) throws IOException {
            boolean any = false;
            for (TableMutations change : operation) {
                OpenTable table = tables.get(change.tableId());
                if (table != null && lsn > heldLsn(change.tableId())) {
                    Replay replay = replays.computeIfAbsent(
                            table, at -> at.incarnation().engine().replay());
                    unlessDamaged(table, () -> add(replay, lsn, change.mutations()));
                    table.applied(lsn);
                    any = true;
                }
            }
            if (any) {
                applied++;
            }
            if (heldBytes > maxHeldBytes) {
                flush();
            }
        }

        /** A table that was dropped, or cannot be used, needs nothing. */
        @Override
        public long heldLsn(int tableId) {
            OpenTable table = tables.get(tableId);
            Incarnation incarnation = table == null ? null : table.incarnationOrNull();
            return table == null || incarnation == null
                    ? Long.MAX_VALUE
                    : Math.max(incarnation.engine().durableLsn(), table.lastLsn());
        }

        private void add(Replay replay, long lsn, List<Mutation> mutations) throws IOException {
            long bytes = 0;
            for (Mutation mutation : mutations) {
                bytes += mutation.key().length + (mutation instanceof Mutation.Put put ? put.value().length : 0);
            }
            long size = bytes;
            long before = replay.heldBytes();
            Patience.untilDone(() -> replay.admit(size));
            replay.add(lsn, mutations);
            heldBytes += replay.heldBytes() - before;
        }

        void flush() throws IOException {
            for (Map.Entry<OpenTable, Replay> each : List.copyOf(replays.entrySet())) {
                unlessDamaged(each.getKey(), each.getValue()::flush);
            }
            heldBytes = 0;
        }

        /** Runs the work of a table, and fails the table on damage. The log keeps its records for when it is restored. */
        private void unlessDamaged(OpenTable table, TableEngine.Load work) throws IOException {
            try {
                work.run();
            } catch (CorruptionException e) {
                Notices.error(Recovery.class, table.database() + "/" + table.name(), "the table cannot be used", e);
                Incarnation damaged = table.incarnation();
                table.fail(e);
                replays.remove(table);
                schema.giveUp(damaged);
            }
        }
    }
}
