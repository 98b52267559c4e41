package io.kvstore.durability;

import io.kvstore.data.Durability;
import io.kvstore.engine.ReadView;
import io.kvstore.error.StackProbe;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Reads of the newest state, and the opening of views. */
public final class Reads {

    private final StoreServices services;

    Reads(StoreServices services) {
        this.services = services;
    }

    public byte @Nullable [] get(OpenTable table, byte[] key) {
        int ticket = services.calls().enter();
        try {
            return table.incarnation().engine().get(key, ReadView.LATEST);
        } catch (IOException e) {
            throw StorageErrors.of("the read", e);
        } finally {
            services.calls().exit(ticket);
        }
    }

    /** The lsn of the last operation on a table, with no operation half applied. Takes the table's write lock for a moment. */
    public long lastLsn(OpenTable table) {
        int ticket = services.calls().enter();
        table.lock().lock();
        try {
            return table.lastLsn();
        } finally {
            table.lock().unlock();
            services.calls().exit(ticket);
        }
    }

    /**
     * A view of one table as it is now, with every write that was acknowledged. In a {@code SYNC} table, the view leaves out
     * writes whose sync is under way, if the engine supports that. Takes the table's write lock for a moment.
     */
    public PinnedView view(OpenTable table) {
        StackProbe.run();
        int ticket = services.calls().enter();
        try {
            table.lock().lock();
            Incarnation incarnation = table.incarnation();
            LongSupplier lsn = looksBack(table, incarnation) ? () -> acknowledgedLsn(table) : table::lastLsn;
            return PinnedView.open(services, lsn, Map.of(table, incarnation));
        } finally {
            table.lock().unlockIfMine();
            services.calls().exit(ticket);
        }
    }

    private boolean looksBack(OpenTable table, Incarnation incarnation) {
        return table.isLogged()
                && !services.setup().readOnly()
                && table.durability() == Durability.SYNC
                && incarnation.engine().looksBack();
    }

    /** The last lsn of a table that is durable, or was acknowledged before it was. A view that sees the latter waits for it. */
    private long acknowledgedLsn(OpenTable table) {
        return Math.max(Math.min(services.log().durableLsn(), table.lastLsn()), table.lastWeakLsn());
    }

    /** A view of all given tables as they are now, consistent across them. Takes all their write locks for a moment. */
    public PinnedView snapshot(Collection<OpenTable> tables) {
        StackProbe.run();
        int ticket = services.calls().enter();
        try {
            TreeMap<Integer, OpenTable> inOrder = new TreeMap<>();
            tables.forEach(table -> inOrder.put(table.order(), table));
            List<OpenTable> ordered = List.copyOf(inOrder.values());
            try {
                ordered.forEach(table -> table.lock().lock());
                return openAll(ordered);
            } finally {
                ordered.reversed().forEach(table -> table.lock().unlockIfMine());
            }
        } finally {
            services.calls().exit(ticket);
        }
    }

    private PinnedView openAll(List<OpenTable> tables) {
        Map<OpenTable, Incarnation> pinned = new LinkedHashMap<>();
        long lsn = 0;
        for (OpenTable table : tables) {
            Incarnation incarnation = table.incarnationOrNull();
            if (incarnation != null && !table.isDropped()) {
                pinned.put(table, incarnation);
                lsn = Math.max(lsn, table.lastLsn());
            }
        }
        long last = lsn;
        return PinnedView.open(services, () -> last, pinned);
    }
}
