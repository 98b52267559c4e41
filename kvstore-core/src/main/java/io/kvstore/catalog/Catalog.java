package io.kvstore.catalog;

import io.kvstore.error.CorruptionException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The catalog of databases, tables, their ids, and the first log segment that is needed. It is one file, which each change
 * replaces atomically. Safe for use by several threads. A change is durable when its call returns. The catalog counts its
 * changes, and the log notes the count, so that an older copy of the file is noticed.
 *
 * <p>A change that fails before the new file took its name changes nothing. A failure after that is final, because the content
 * of the disk is not known: the store is told, and the catalog is not written any more.
 *
 * <p>Invariants: {@code nextTableId} never goes back, not even after a failed change. {@code checkpointLsn} of a table and
 * {@code firstLogSegment} never go back.
 */
public final class Catalog {

    public static final String FILE = "CATALOG";

    private final Storage storage;
    private final Consumer<Throwable> onFailure;
    private volatile CatalogState state;
    private int nextTableId;
    private boolean failed;

    private Catalog(Storage storage, CatalogState state, Consumer<Throwable> onFailure) {
        this.storage = storage;
        this.state = state;
        this.onFailure = onFailure;
        this.nextTableId = state.nextTableId();
    }

    /** Creates the catalog of a new store. From then on the directory is a store. */
    public static void create(Storage storage, long storeIdHigh, long storeIdLow, long firstLogSegment)
            throws IOException {
        CatalogState empty = new CatalogState(
                storeIdHigh, storeIdLow, 1, 1, firstLogSegment, firstLogSegment, 0, new TreeSet<>(), new TreeMap<>());
        AtomicFile.write(storage, FILE, CatalogFormat.encode(empty));
    }

    /** Opens the existing catalog. */
    public static Catalog open(Storage storage, Consumer<Throwable> onFailure) throws IOException {
        byte[] bytes = AtomicFile.read(storage, FILE, CatalogFormat.MAX_BYTES);
        if (bytes == null) {
            throw new IOException(FILE + " does not exist");
        }
        return new Catalog(storage, decode(bytes), onFailure);
    }

    private static CatalogState decode(byte[] bytes) {
        try {
            return CatalogFormat.decode(FILE, bytes);
        } catch (CorruptionException e) {
            throw new CorruptionException(
                    FILE,
                    e.offset(),
                    "it is damaged, and nothing was changed. Restore a backup of the store to a new directory"
                            + " ('kvstore backup restore'), or take what is whole of it ('kvstore salvage'). What was found: "
                            + e.getMessage());
        }
    }

    /** A catalog that is only read, in place of one that cannot be. */
    public static Catalog rebuilt(Storage storage, CatalogState state) {
        Catalog catalog = new Catalog(storage, state, cause -> {});
        catalog.failed = true; // so that it is never written
        return catalog;
    }

    public CatalogState state() {
        return state;
    }

    /** The bytes of a catalog file with that state, for another store. */
    public static byte[] fileOf(CatalogState state) {
        ByteBuffer bytes = CatalogFormat.encode(state);
        byte[] file = new byte[bytes.remaining()];
        bytes.get(file);
        return file;
    }

    /** A table id that was never used. The id is used up even if no table is created with it. */
    public synchronized int takeTableId() {
        if (nextTableId == Integer.MAX_VALUE) {
            throw new IllegalStateException("all table ids are used up");
        }
        return nextTableId++;
    }

    public synchronized void addDatabase(String name) throws IOException {
        SortedSet<String> databases = new TreeSet<>(state.databases());
        databases.add(name);
        replace(state.withDatabases(databases));
    }

    public synchronized void removeDatabase(String name) throws IOException {
        SortedSet<String> databases = new TreeSet<>(state.databases());
        databases.remove(name);
        replace(state.withDatabases(databases));
    }

    /** Adds a table whose directory is durable. */
    public synchronized void addTable(TableInfo table) throws IOException {
        SortedMap<Integer, TableInfo> tables = new TreeMap<>(state.tables());
        tables.put(table.id(), table);
        replace(state.withTables(nextTableId, tables));
    }

    /** Removes a table. Its files may be deleted afterwards. */
    public synchronized void removeTable(int id) throws IOException {
        SortedMap<Integer, TableInfo> tables = new TreeMap<>(state.tables());
        tables.remove(id);
        replace(state.withTables(nextTableId, tables));
    }

    /** Removes tables in one step. */
    public synchronized void removeTables(Set<Integer> ids) throws IOException {
        SortedMap<Integer, TableInfo> tables = new TreeMap<>(state.tables());
        if (tables.keySet().removeAll(ids)) {
            replace(state.withTables(nextTableId, tables));
        }
    }

    /** Removes {@linkplain CatalogState#isPassing passing} tables. Their files may go before or afterwards. */
    public synchronized void removePassing() throws IOException {
        SortedMap<Integer, TableInfo> tables = new TreeMap<>(state.tables());
        if (tables.values().removeIf(state::isPassing)) {
            replace(state.withTables(nextTableId, tables));
        }
    }

    public synchronized void replaceTable(int id, TableInfo successor) throws IOException {
        SortedMap<Integer, TableInfo> tables = new TreeMap<>(state.tables());
        tables.remove(id);
        tables.put(successor.id(), successor);
        replace(state.withTables(nextTableId, tables));
    }

    /** Changes the name or the parameters of a table that is listed. */
    public synchronized void changeTable(int id, UnaryOperator<TableInfo> change) throws IOException {
        SortedMap<Integer, TableInfo> tables = new TreeMap<>(state.tables());
        tables.computeIfPresent(id, (any, table) -> change.apply(table));
        replace(state.withTables(nextTableId, tables));
    }

    /**
     * Notes checkpoints, and the oldest log segment that is needed after them. Writes nothing if nothing changed.
     *
     * @param completeLsn the lsn up to which every table holds every operation
     */
    public synchronized void checkpointed(Map<Integer, Long> lsnByTable, long firstLogSegment, long completeLsn)
            throws IOException {
        SortedMap<Integer, TableInfo> tables = new TreeMap<>(state.tables());
        for (Map.Entry<Integer, Long> entry : lsnByTable.entrySet()) {
            tables.computeIfPresent(
                    entry.getKey(),
                    (id, table) -> checkpointed(table, Math.max(table.checkpointLsn(), entry.getValue())));
        }
        CatalogState next = state.withTables(nextTableId, tables)
                .withLogSegments(Math.max(state.firstLogSegment(), firstLogSegment), state.newestLogSegment())
                .withCompleteLsn(Math.max(state.completeLsn(), completeLsn));
        if (!next.equals(state)) {
            replace(next);
        }
    }

    private static TableInfo checkpointed(TableInfo table, long lsn) {
        TableInfo after = table.withCheckpointLsn(lsn);
        return lsn >= table.keptLsn() ? after.withKeptLsn(0) : after;
    }

    /** Notes that records of a table are kept beside the log up to an lsn. False if the table does not exist any more. */
    public synchronized boolean kept(int id, long lsn) throws IOException {
        TableInfo table = state.tables().get(id);
        if (table == null) {
            return false;
        }
        SortedMap<Integer, TableInfo> tables = new TreeMap<>(state.tables());
        tables.put(id, table.withKeptLsn(lsn));
        replace(state.withTables(nextTableId, tables));
        return true;
    }

    /** Notes a log segment that is durable, so that its loss would be noticed. */
    public synchronized void logSegmentMade(long segment) throws IOException {
        replace(state.withLogSegments(state.firstLogSegment(), segment));
    }

    private void replace(CatalogState next) throws IOException {
        if (failed) {
            throw new IOException(FILE + " failed before and is not written again; open the store again");
        }
        CatalogState counted = next.withRevision(state.revision() + 1);
        try (AtomicFile.Staged staged = AtomicFile.stage(storage, FILE, CatalogFormat.encode(counted))) {
            publish(staged);
            state = counted;
        }
    }

    private void publish(AtomicFile.Staged staged) throws CatalogUncertainException {
        try {
            staged.publish();
        } catch (Throwable e) {
            failed = true;
            onFailure.accept(e);
            throw new CatalogUncertainException(e);
        }
    }
}
