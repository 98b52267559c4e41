package io.kvstore.durability;

import static java.util.Objects.requireNonNull;

import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileReader;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.StoreClosedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A view of tables as they were at one moment, with whole batches only. It pins the incarnations that it sees until it is
 * closed. Closing it closes its cursors. Safe for use by several threads.
 */
public final class PinnedView implements AutoCloseable {

    private final StoreServices services;
    private final Map<OpenTable, Incarnation> pinned;
    private final Set<TableCursor> cursors = new LinkedHashSet<>();
    private boolean closed;

    /** How closing the store closes the view. */
    private final AutoCloseable byStore = this::closeInside;

    /** Set once, before another thread has the view. */
    private ReadView view = ReadView.LATEST;

    private PinnedView(StoreServices services, Map<OpenTable, Incarnation> pinned) {
        this.services = services;
        this.pinned = pinned;
    }

    /**
     * Pins tables. The caller has their write locks or references of its own.
     *
     * @param lsn gives the last lsn to be seen, as {@link SnapshotRegistry#add} asks for it
     */
    static PinnedView open(StoreServices services, LongSupplier lsn, Map<OpenTable, Incarnation> incarnations) {
        PinnedView opened = new PinnedView(services, incarnations);
        incarnations.values().forEach(Incarnation::retain);
        try {
            opened.view = ReadView.at(services.snapshots().add(opened.byStore, lsn));
            return opened;
        } catch (Throwable e) {
            boolean _ = opened.closeInside();
            throw e;
        }
    }

    public long lsn() {
        return view.lsn();
    }

    public byte @Nullable [] get(OpenTable table, byte[] key) {
        int ticket = services.calls().enter();
        try {
            byte[] value = incarnationOf(table).engine().get(key, view);
            checkOpen();
            return value;
        } catch (IllegalStateException e) {
            checkOpen(); // the view was closed meanwhile, and its state is not kept any more
            throw e;
        } catch (IOException e) {
            throw StorageErrors.of("the read", e);
        } finally {
            services.calls().exit(ticket);
        }
    }

    public long count(OpenTable table, KeyRange range) {
        KeyRange asked = table.asEngineTakes(range);
        return walk("the count", () -> incarnationOf(table).engine().count(asked, view));
    }

    /** The key with a number of entries of a range before it, or null. */
    public byte @Nullable [] keyAt(OpenTable table, KeyRange range, long index) {
        KeyRange asked = table.asEngineTakes(range);
        return walk("the search", () -> incarnationOf(table).engine().keyAt(asked, index, view));
    }

    /** The facts about the file that is the whole table, or null if it has none. */
    public @Nullable TableFileInfo fileInfo(OpenTable table) {
        return walk("the read", () -> {
            TableFileReader file = incarnationOf(table).engine().file();
            return file == null ? null : file.info();
        });
    }

    /** Copies bytes of the file that is the whole table, into the remaining room of a buffer. */
    public void copyFile(OpenTable table, long offset, ByteBuffer target) {
        walk("the read", () -> {
            requireNonNull(incarnationOf(table).engine().file()).copy(offset, target);
            return null;
        });
    }

    @FunctionalInterface
    private interface Walk<T extends @Nullable Object> {
        T run() throws IOException;
    }

    private <T extends @Nullable Object> T walk(String action, Walk<T> walk) {
        int ticket = services.calls().enter();
        try {
            T found = walk.run();
            checkOpen();
            return found;
        } catch (IllegalStateException e) {
            checkOpen();
            throw e;
        } catch (IOException e) {
            throw StorageErrors.of(action, e);
        } finally {
            services.calls().exit(ticket);
        }
    }

    /** A cursor over a range. With {@code ownsView} the cursor closes the view when it is closed. */
    public TableCursor scan(OpenTable table, KeyRange range, boolean ownsView) {
        KeyRange asked = table.asEngineTakes(range);
        int ticket = services.calls().enter();
        try {
            return register(incarnationOf(table).engine().scan(asked, view), asked, ownsView);
        } catch (IOException e) {
            throw StorageErrors.of("the scan", e);
        } finally {
            services.calls().exit(ticket);
        }
    }

    private TableCursor register(EngineCursor entries, KeyRange range, boolean ownsView) {
        try {
            TableCursor cursor = new TableCursor(services.calls(), this, entries, range, ownsView);
            synchronized (this) {
                checkOpen();
                cursors.add(cursor);
            }
            return cursor;
        } catch (Throwable e) {
            entries.close();
            throw e;
        }
    }

    /** Throws if the view was closed. A result that was read after that may be of a later moment. */
    private synchronized void checkOpen() {
        if (closed) {
            throw new StoreClosedException("the snapshot was closed");
        }
    }

    synchronized void forget(TableCursor cursor) {
        cursors.remove(cursor);
    }

    private synchronized Incarnation incarnationOf(OpenTable table) {
        checkOpen();
        Incarnation incarnation = pinned.get(table);
        if (incarnation == null) {
            if (table.failure() != null) {
                throw table.failure();
            }
            throw new InvalidRequestException("table " + table.name() + " is younger than the snapshot");
        }
        return incarnation;
    }

    /** Closes the view's cursors and gives back what it pins. Does nothing the second time. */
    @Override
    public void close() {
        int ticket = services.calls().tryEnter();
        if (ticket == CallGate.REFUSED) {
            return; // closing the store closes its views
        }
        boolean isAnyUnused = false;
        try {
            isAnyUnused = closeInside();
        } finally {
            services.calls().exit(ticket);
        }
        if (isAnyUnused) {
            services.calls().reclaim(); // this call was one of those that the incarnation has to wait for
        }
    }

    /**
     * As {@link #close}, inside a call of the store, or when no call can be under way any more. Returns whether this was the
     * last view of an incarnation that no table has any more.
     */
    private boolean closeInside() {
        List<TableCursor> open;
        synchronized (this) {
            if (closed) {
                return false;
            }
            open = cursors.isEmpty() ? List.of() : List.copyOf(cursors); // needs no memory where opening has failed
            closed = true;
        }
        boolean isAnyUnused = false;
        try {
            open.forEach(TableCursor::close);
        } finally {
            try {
                services.snapshots().remove(byStore);
            } finally {
                for (Incarnation incarnation : pinned.values()) {
                    isAnyUnused |= incarnation.release();
                }
            }
        }
        return isAnyUnused;
    }
}
