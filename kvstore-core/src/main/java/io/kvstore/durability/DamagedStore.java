package io.kvstore.durability;

import static java.util.Objects.requireNonNull;

import io.kvstore.catalog.Catalog;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Storage;
import io.kvstore.wal.KeptRecords;
import io.kvstore.wal.LogRecovery;
import io.kvstore.wal.LogReplay;
import io.kvstore.wal.LogSalvage;
import io.kvstore.wal.segment.LogConfig;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A store that is opened to read what is whole of it: {@link StoreSetup#damaged}. Nothing is written. Damage of the catalog or
 * of the log is reported, and does not refuse the store. Tables show what their own files have; what only the log has is handed
 * out by {@link #replay}, because a table with damaged files may not be able to take it.
 */
public final class DamagedStore {

    private final Storage storage;
    private final Findings losses;
    private final Map<Integer, OpenTable> tables = new HashMap<>();
    private final Set<OpenTable> leftOver = new HashSet<>();
    private @Nullable LogConfig config;
    private @Nullable LogRecovery log;
    private @Nullable KeptRecords kept;
    private long firstSegment;

    /** @param losses gets what is damaged or missing */
    public DamagedStore(Storage storage, Findings losses) {
        this.storage = storage;
        this.losses = losses;
    }

    public Findings losses() {
        return losses;
    }

    /** Gets the operations that the files of a table do not have, oldest first. */
    @FunctionalInterface
    public interface Changes {
        /** @param mayBeOlder whether they may be older than what the files of the table have of their keys */
        void apply(OpenTable table, List<Mutation> mutations, boolean mayBeOlder);
    }

    /** The catalog, or one that is made of the labels of the tables' directories. */
    Catalog openCatalog(LogConfig withoutId) throws IOException {
        if (!storage.exists(Catalog.FILE)) {
            losses.report(Catalog.FILE, -1, "the catalog is missing");
        } else {
            try {
                return Catalog.open(storage, cause -> {});
            } catch (CorruptionException e) {
                losses.report(e);
            }
        }
        SortedMap<Integer, String> directories = new TreeMap<>();
        for (String name : storage.list(StoreFiles.TABLES)) {
            long id = StoreFiles.TABLE_NAME.numberIn(name);
            if (id >= 0 && id <= Integer.MAX_VALUE) {
                directories.put((int) id, Schema.directoryOf((int) id));
            }
        }
        return Catalog.rebuilt(storage, CatalogRebuild.of(storage, directories, LogSalvage.storeId(withoutId), losses));
    }

    /**
     * Takes what recovery has found.
     *
     * @param recovered null if the log is damaged
     */
    void found(LogConfig ofLog, @Nullable LogRecovery recovered, StoreServices services) {
        config = ofLog;
        log = recovered;
        kept = services.kept();
        firstSegment = services.catalog().state().firstLogSegment();
    }

    /** @param isLeftOver whether the files of the table are damaged, so that nobody knows up to where they have operations */
    void found(OpenTable table, boolean isLeftOver) {
        tables.put(table.order(), table);
        if (isLeftOver) {
            leftOver.add(table);
        }
    }

    /**
     * Passes on the entries of a range that the files of a table have, though what leads to them is damaged.
     *
     * @return how many were passed on
     */
    public long salvage(OpenTable table, KeyRange range, BiConsumer<byte[], byte[]> receiver) {
        try {
            return table.incarnation().engine().salvage(range, losses, receiver);
        } catch (IOException e) {
            losses.report(Schema.directoryOf(table.order()), -1, "a part of the table's files cannot be read: " + e);
            return 0;
        }
    }

    /**
     * Hands out the operations that the tables' files do not have, as far as they can be read. Where the files of a table are
     * damaged and the log has gaps, an operation may be older than what the files have.
     */
    public void replay(Changes changes) {
        try {
            boolean hasGaps = reportGaps();
            for (OpenTable table : tables.values()) {
                requireNonNull(kept)
                        .salvage(
                                table.order(),
                                losses::report,
                                (lsn, operation) -> hand(lsn, operation, hasGaps, changes));
            }
            readLog(losses::report, (lsn, operation) -> hand(lsn, operation, hasGaps, changes));
        } catch (IOException e) {
            throw StorageErrors.of("reading the log", e);
        }
    }

    /** Whether the log may lack an operation between two others. */
    private boolean reportGaps() throws IOException {
        LogRecovery whole = log;
        if (whole != null) {
            whole.damages().forEach(damage -> losses.report(StoreFiles.WAL, -1, damage + "; the tables' files had it"));
            return !whole.damages().isEmpty();
        }
        Findings found = new Findings();
        readLog(found::report, (lsn, operation) -> {});
        return found.total() > 0;
    }

    private void readLog(LogSalvage.Losses missing, LogReplay replay) throws IOException {
        LogRecovery whole = log;
        if (whole != null) {
            whole.replay(replay);
        } else {
            LogSalvage.replay(requireNonNull(config), firstSegment, missing, replay);
        }
    }

    private void hand(long lsn, List<TableMutations> operation, boolean hasGaps, Changes changes) {
        for (TableMutations change : operation) {
            OpenTable table = tables.get(change.tableId());
            if (table != null && lsn > durableLsn(table)) {
                boolean mayBeOlder = hasGaps && leftOver.contains(table);
                changes.apply(table, change.mutations(), mayBeOlder);
            }
        }
    }

    /** The lsn up to which the files of a table are known to have its operations; -1 if they are damaged. */
    private long durableLsn(OpenTable table) {
        Incarnation incarnation = table.incarnationOrNull();
        return incarnation == null || leftOver.contains(table)
                ? -1
                : incarnation.engine().durableLsn();
    }
}
