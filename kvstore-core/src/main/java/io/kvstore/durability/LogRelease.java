package io.kvstore.durability;

import io.kvstore.catalog.TableInfo;
import io.kvstore.error.Notices;
import io.kvstore.wal.WriteAheadLog;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntToLongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Frees the log of records that the tables hold elsewhere.
 *
 * <p>The catalog notes each table's lsn and the first segment that is still needed. Then the segments before it are deleted. A
 * segment is free when each table holds its last record of that segment in its own files or among its
 * {@linkplain io.kvstore.wal.KeptRecords kept records}. For a table that could not be opened, kept records are written as soon
 * as it needs a full segment. For a table that makes no checkpoint, for whatever reason, they are written when full segments
 * have more bytes than {@code checkpointLogBytes}. So no table keeps the log of others, and the log has a bound.
 *
 * <p>Under {@link #releasing} one thread at a time frees the log. This lock is never held for a table's own work.
 */
final class LogRelease {

    /** A table without a checkpoint takes no writes while more than this many {@code checkpointLogBytes} are kept for it. */
    private static final int MOST_KEPT = 4;

    private final StoreServices services;
    private final Schema schema;
    private final ReentrantLock releasing = new ReentrantLock();

    LogRelease(StoreServices services, Schema schema) {
        this.services = services;
        this.schema = schema;
    }

    /**
     * Frees the segments that can be freed.
     *
     * @param completeLsn up to which all tables hold everything, as far as the caller knows
     * @param isLate tells the tables that should have made a checkpoint and made none
     */
    void run(long completeLsn, Predicate<OpenTable> isLate) throws IOException {
        releasing.lock();
        try {
            WriteAheadLog log = services.log();
            if (!log.sync(log.lastLsn())) {
                throw new IOException("the log failed before the first segment that is needed was durable");
            }
            Map<Integer, OpenTable> tables = new HashMap<>();
            Map<Integer, Long> durable = new HashMap<>();
            list(tables, durable);
            free(durable, completeLsn);
            keepForLate(tables, durable, isLate);
            refuseWhereTooMuchIsKept(tables);
        } finally {
            releasing.unlock();
            services.background().waiter().signal();
        }
    }

    /** Lists the tables and the lsns up to which their own files hold everything, both by the id of their incarnation. */
    private void list(Map<Integer, OpenTable> tables, Map<Integer, Long> durable) {
        for (OpenTable table : schema.allAndStaged()) {
            Incarnation incarnation = table.incarnationOrNull();
            tables.put(incarnation == null ? table.order() : incarnation.id(), table);
            if (incarnation != null) {
                durable.put(incarnation.id(), incarnation.engine().durableLsn());
            }
        }
    }

    private void free(Map<Integer, Long> durable, long completeLsn) throws IOException {
        long firstNeeded = services.log().space().firstNeededSegment(held(durable));
        services.catalog().checkpointed(durable, firstNeeded, completeLsn);
        services.kept().deleteUnneeded(services.catalog().state()::hasKept);
        services.log().space().deleteBefore(firstNeeded);
    }

    /**
     * The lsn up to which a table needs nothing of the log. It is looked up in the catalog when its segment is judged. A table
     * was listed there before its first record, so a table that is missing was dropped. One that was given up with its database
     * need not be missing.
     */
    private IntToLongFunction held(Map<Integer, Long> durable) {
        return id -> {
            TableInfo info = services.catalog().state().tables().get(id);
            return info == null || schema.staged().isGone(id)
                    ? Long.MAX_VALUE
                    : Math.max(durable.getOrDefault(id, 0L), info.heldLsn());
        };
    }

    private void keepForLate(Map<Integer, OpenTable> tables, Map<Integer, Long> durable, Predicate<OpenTable> isLate)
            throws IOException {
        IntToLongFunction held = held(durable);
        boolean any = false;
        for (int id = services.log().space().holder(held);
                id >= 0;
                id = services.log().space().holder(held)) {
            long before = held.applyAsLong(id);
            OpenTable table = tables.get(id);
            if (table == null || !mustBeKept(table, isLate)) {
                break; // it need not be kept, or was created or truncated after the tables were listed
            }
            boolean isFirst = services.kept().bytes(id) == 0;
            if (keep(id, before) <= before) {
                break;
            }
            if (isFirst) {
                tellKept(table);
            }
            any = true;
        }
        if (any) {
            free(durable, 0);
        }
    }

    /** Reports that a table's records are kept, once until it makes a checkpoint. The metrics tell how many bytes are kept. */
    private static void tellKept(OpenTable table) {
        String what = table.failure() != null
                ? "it could not be opened, so its records are kept beside the log until it is opened or dropped"
                : "it makes no checkpoint, because one takes long, or fails, or other work on the table does not end;"
                        + " its records are kept beside the log meanwhile";
        Notices.warning(LogRelease.class, nameOf(table), what, null);
    }

    private static String nameOf(OpenTable table) {
        return table.database() + "/" + table.name();
    }

    private boolean mustBeKept(OpenTable table, Predicate<OpenTable> isLate) {
        return table.failure() != null
                || (isLate.test(table)
                        && services.log().space().fullBytes() > services.setup().checkpointLogBytes());
    }

    private long keep(int id, long above) throws IOException {
        long upTo = services.kept().keep(id, above, services.log().space());
        return services.catalog().kept(id, upTo) ? upTo : Long.MAX_VALUE;
    }

    private void refuseWhereTooMuchIsKept(Map<Integer, OpenTable> tables) {
        long most = MOST_KEPT * Math.min(services.setup().checkpointLogBytes(), Long.MAX_VALUE / MOST_KEPT);
        tables.forEach((id, table) -> {
            long bytes = services.kept().bytes(id);
            boolean isNew = table.takesWrites();
            table.refuseWrites(
                    bytes <= most
                            ? null
                            : "table " + table.name() + " of database " + table.database()
                                    + " makes no checkpoint, and " + bytes
                                    + " bytes of its log are kept already; see the program's log for the reason");
            if (isNew && bytes > most) {
                Notices.error(
                        LogRelease.class, nameOf(table), "it takes no writes until it has made a checkpoint", null);
            }
        });
    }

    @Nullable
    String holder() {
        Map<Integer, Long> durable = new HashMap<>();
        Map<Integer, OpenTable> tables = new HashMap<>();
        list(tables, durable);
        OpenTable holder = tables.get(services.log().space().holder(held(durable)));
        return holder == null ? null : nameOf(holder);
    }
}
