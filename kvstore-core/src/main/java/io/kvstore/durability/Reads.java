package io.kvstore.durability;

import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.ReadView;
import io.kvstore.error.StackProbe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
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

    /** Passes the value of a key to a reader, as {@code TableEngine.read} says. */
    public <T extends @Nullable Object> T read(OpenTable table, byte[] key, Function<@Nullable ByteBuffer, T> reader) {
        StackProbe.run();
        return services.calls()
                .run("the read", () -> table.incarnation().engine().read(key, ReadView.LATEST, reader));
    }

    /** Whether a key has a value now. */
    public boolean contains(OpenTable table, byte[] key) {
        int ticket = services.calls().enter();
        try {
            return table.incarnation().engine().contains(key, ReadView.LATEST);
        } catch (IOException e) {
            throw StorageErrors.of("the read", e);
        } finally {
            services.calls().exit(ticket);
        }
    }

    /** Divides a range, as {@code Table.split} says. */
    public List<KeyRange> split(OpenTable table, KeyRange range, int parts) {
        KeyRange asked = table.asEngineTakes(range);
        return services.calls()
                .run(
                        "the split",
                        () -> RangeSplit.of(asked, parts, table.incarnation().engine()));
    }

    /** The last lsn that a {@linkplain #view view} of a table would see if it were opened now. */
    public long lastLsn(OpenTable table) {
        StackProbe.run();
        int ticket = services.calls().enter();
        try {
            table.awaitJoint();
            return lastSeen(table, table.incarnation()).getAsLong();
        } finally {
            services.calls().exit(ticket);
        }
    }

    /**
     * A view of one table as it is now, with every write that was acknowledged. In a {@code SYNC} table, the view leaves out
     * writes whose sync is under way, if the engine supports that.
     *
     * <p>Views and writers do not wait for each other. An exception is an operation on several tables, while it is applied. If
     * it may have been seen in another table before, the view sees it. If the view sees it, so does every later view of
     * another one of these tables, or as soon as it is durable where views look back.
     */
    public PinnedView view(OpenTable table) {
        StackProbe.run();
        int ticket = services.calls().enter();
        try {
            table.awaitJoint();
            Incarnation incarnation = table.retained();
            try {
                return view(table, incarnation);
            } finally {
                incarnation.release();
            }
        } finally {
            services.calls().exit(ticket);
        }
    }

    private PinnedView view(OpenTable table, Incarnation incarnation) {
        PinnedView view = PinnedView.open(services, lastSeen(table, incarnation), Map.of(table, incarnation));
        try {
            table.awaitJoint();
            return view;
        } catch (Throwable e) {
            view.close();
            throw e;
        }
    }

    /**
     * Looks at the durability of the table when the lsn is asked for, and not before. It may have changed meanwhile, and the
     * engine of a {@code BUFFERED} table gives up at once what a view below the last lsn would see.
     */
    private LongSupplier lastSeen(OpenTable table, Incarnation incarnation) {
        return () ->
                looksBack(table, incarnation) ? acknowledgedLsn(table, incarnation) : appliedLsn(table, incarnation);
    }

    /** What the engine has applied is told to the table a moment later. */
    private static long appliedLsn(OpenTable table, Incarnation incarnation) {
        return Math.max(table.lastLsn(), incarnation.engine().appliedLsn());
    }

    private boolean looksBack(OpenTable table, Incarnation incarnation) {
        return table.isLogged()
                && !services.setup().readOnly()
                && table.durability() == Durability.SYNC
                && incarnation.engine().looksBack();
    }

    /** The last lsn of a table that is durable, or was acknowledged before it was. A view that sees the latter waits for it. */
    private long acknowledgedLsn(OpenTable table, Incarnation incarnation) {
        return Math.max(Math.min(services.log().durableLsn(), appliedLsn(table, incarnation)), table.lastWeakLsn());
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
                OpenTable.lockAll(ordered);
                return openAll(ordered);
            } finally {
                OpenTable.unlockAll(ordered);
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
