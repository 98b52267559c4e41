package io.kvstore.catalog;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The content of the catalog at one moment. Immutable.
 *
 * @param revision counts the changes of this catalog; 0 if a version wrote it that did not count
 * @param nextTableId no table ever had this id or a greater one
 * @param firstLogSegment the oldest log segment that is needed
 * @param newestLogSegment a log segment that exists; newer segments may exist, too
 * @param completeLsn the lsn up to which every table held every operation in its own files when this was written; tables that
 *     could not be opened held them before
 */
public record CatalogState(
        long storeIdHigh,
        long storeIdLow,
        long revision,
        int nextTableId,
        long firstLogSegment,
        long newestLogSegment,
        long completeLsn,
        SortedSet<String> databases,
        SortedMap<Integer, TableInfo> tables) {

    public CatalogState {
        databases = Collections.unmodifiableSortedSet(new TreeSet<>(databases));
        tables = Collections.unmodifiableSortedMap(new TreeMap<>(tables));
    }

    /** The lsn up to which a table needs no record of the log; the greatest possible lsn if no such table stays. */
    public long heldLsn(int tableId) {
        TableInfo table = tables.get(tableId);
        return table == null || isPassing(table) ? Long.MAX_VALUE : Math.max(completeLsn, table.heldLsn());
    }

    /**
     * Whether a table goes when the store is closed or opened: a temporary one, and one of a database that is not listed,
     * because it was never filled to the end.
     */
    public boolean isPassing(TableInfo table) {
        return table.properties().isTemporary() || !databases.contains(table.database());
    }

    /** Whether records of the table of that id are kept beside the log. */
    public boolean hasKept(int id) {
        TableInfo table = tables.get(id);
        return table != null && table.keptLsn() > 0;
    }

    /** The catalog of a copy of the store, whose log is one segment, with the tables that the copy has. */
    public CatalogState copiedWith(SortedMap<Integer, TableInfo> copied, long segment) {
        return new CatalogState(storeIdHigh, storeIdLow, revision, nextTableId, segment, segment, 0, databases, copied);
    }

    CatalogState withRevision(long next) {
        return new CatalogState(
                storeIdHigh,
                storeIdLow,
                next,
                nextTableId,
                firstLogSegment,
                newestLogSegment,
                completeLsn,
                databases,
                tables);
    }

    CatalogState withDatabases(SortedSet<String> changed) {
        return new CatalogState(
                storeIdHigh,
                storeIdLow,
                revision,
                nextTableId,
                firstLogSegment,
                newestLogSegment,
                completeLsn,
                changed,
                tables);
    }

    CatalogState withTables(int nextId, SortedMap<Integer, TableInfo> changed) {
        return new CatalogState(
                storeIdHigh,
                storeIdLow,
                revision,
                nextId,
                firstLogSegment,
                newestLogSegment,
                completeLsn,
                databases,
                changed);
    }

    CatalogState withLogSegments(long first, long newest) {
        return new CatalogState(
                storeIdHigh, storeIdLow, revision, nextTableId, first, newest, completeLsn, databases, tables);
    }

    CatalogState withCompleteLsn(long lsn) {
        return new CatalogState(
                storeIdHigh,
                storeIdLow,
                revision,
                nextTableId,
                firstLogSegment,
                newestLogSegment,
                lsn,
                databases,
                tables);
    }
}
