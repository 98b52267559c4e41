package io.kvstore.durability;

import io.kvstore.catalog.CatalogState;
import io.kvstore.catalog.TableInfo;
import io.kvstore.engine.FileHold;
import io.kvstore.error.Closing;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StorageException;
import io.kvstore.wal.LogHold;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Takes the {@link StoreHold}s of a store, and knows those that are open.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The log is held first, so that it has every record above the lsn of each table that is held later. What was released
 *       before is in the files of the tables, or was kept beside the log: then the table has to have it in its files, too.
 *   <li>The moment is a catalog and the last lsn, read while no table is created, dropped, truncated or swapped, and when the
 *       files of all tables of that catalog are held. So every record up to that lsn is of one of these tables, or of one that
 *       was gone before.
 *   <li>The log is durable up to that lsn before this returns.
 * </ol>
 */
public final class StoreHolds {

    /** After so many looks at a catalog that changes all the time, it stands still until all its tables are held. */
    private static final int MOST_LOOKS = 3;

    private final StoreServices services;
    private final Schema schema;
    private final Set<StoreHold> open = ConcurrentHashMap.newKeySet();

    StoreHolds(StoreServices services, Schema schema) {
        this.services = services;
        this.schema = schema;
    }

    /** A catalog, and the last lsn that was given out while it was the catalog. */
    record Moment(CatalogState catalog, long lsn) {}

    StoreHold take() throws IOException {
        SortedMap<Integer, StoreHold.Table> tables = new TreeMap<>();
        LogHold log = services.log().space().hold();
        try {
            CatalogState before = services.catalog().state();
            Moment moment = moment(tables);
            letGo(tables, moment.catalog());
            requireInLog(tables, before);
            if (!services.log().sync(moment.lsn())) {
                throw new IOException("the log failed before it was durable up to lsn " + moment.lsn());
            }
            StoreHold[] hold = new StoreHold[1];
            hold[0] = new StoreHold(services, moment, tables, log, () -> open.remove(hold[0]));
            open.add(hold[0]);
            return hold[0];
        } catch (Throwable e) {
            Closing.giveUp(
                    () -> {
                        log.close();
                        tables.values().forEach(StoreHold.Table::release);
                    },
                    StoreHolds.class,
                    "a hold");
            throw e;
        }
    }

    private Moment moment(SortedMap<Integer, StoreHold.Table> tables) throws IOException {
        for (int look = 1; ; look++) {
            boolean isLast = look == MOST_LOOKS;
            if (!isLast) {
                holdMissing(tables);
            }
            Moment moment = schema.standing(() -> {
                if (isLast) {
                    holdMissing(tables);
                }
                CatalogState state = services.catalog().state();
                return isHeld(state, tables) ? new Moment(state, services.log().lastLsn()) : null;
            });
            if (moment != null) {
                return moment;
            }
            if (isLast) {
                throw new IOException("a table was neither open nor failed; try again");
            }
        }
    }

    private void holdMissing(SortedMap<Integer, StoreHold.Table> tables) throws IOException {
        for (OpenTable table : schema.all()) {
            if (table.isTemporary() || table.isDropped()) {
                continue;
            }
            KVStoreException failure = table.failure();
            if (failure != null) {
                throw new StorageException(
                        "table " + table.database() + "/" + table.name() + " cannot be opened, so a copy would lack it;"
                                + " restore it from an older backup, or drop it, and try again: "
                                + failure.getMessage(),
                        failure);
            }
            Incarnation incarnation = table.retainOrNull();
            if (incarnation != null) {
                hold(tables, incarnation);
            }
        }
    }

    private static void hold(SortedMap<Integer, StoreHold.Table> tables, Incarnation incarnation) throws IOException {
        @Nullable FileHold files = null;
        boolean kept = false;
        try {
            if (!tables.containsKey(incarnation.id())) {
                files = incarnation.engine().hold();
                tables.put(incarnation.id(), new StoreHold.Table(incarnation, files));
                kept = true;
            }
        } finally {
            if (!kept) {
                if (files != null) {
                    files.close();
                }
                incarnation.release();
            }
        }
    }

    private static boolean isHeld(CatalogState state, SortedMap<Integer, StoreHold.Table> tables) {
        return state.tables().values().stream()
                .allMatch(info -> state.isPassing(info) || tables.containsKey(info.id()));
    }

    /** Lets go of the tables that were dropped, truncated or swapped before the moment. */
    private static void letGo(SortedMap<Integer, StoreHold.Table> tables, CatalogState state) {
        for (StoreHold.Table table : List.copyOf(tables.values())) {
            if (!state.tables().containsKey(table.info().id())) {
                tables.remove(table.info().id());
                table.release();
            }
        }
    }

    private static void requireInLog(SortedMap<Integer, StoreHold.Table> tables, CatalogState whenLogWasHeld) {
        for (StoreHold.Table table : tables.values()) {
            TableInfo known = whenLogWasHeld.tables().get(table.info().id());
            if (known != null && table.isLogged() && known.keptLsn() > table.lsn()) {
                throw new OverloadedException("table " + known.database() + "/" + known.name()
                        + " makes no checkpoint, and a part of its records is kept beside the log; see the program's log"
                        + " for the reason, and try again when it has made one");
            }
        }
    }

    List<StoreHold> all() {
        return List.copyOf(open);
    }

    public int count() {
        return open.size();
    }

    public long oldestAgeMillis() {
        return open.stream().mapToLong(StoreHold::ageMillis).max().orElse(0);
    }

    /** Bytes on the disk that are kept for open holds, roughly. */
    public long pinnedBytes() {
        return open.stream().mapToLong(StoreHold::pinnedBytes).sum();
    }
}
