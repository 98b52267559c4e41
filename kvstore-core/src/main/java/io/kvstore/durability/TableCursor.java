package io.kvstore.durability;

import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.StoreClosedException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A cursor of the API over one of an engine: limit, keys only, closing from any thread. */
public final class TableCursor implements AutoCloseable {

    private static final byte[] NO_VALUE = {};

    private final CallGate calls;
    private final PinnedView view;
    private final EngineCursor entries;
    private final boolean keysOnly;
    private final boolean ownsView;
    private long left;
    private boolean closed;
    private @Nullable KVStoreException failure;

    TableCursor(CallGate calls, PinnedView view, EngineCursor entries, KeyRange range, boolean ownsView) {
        this.calls = calls;
        this.view = view;
        this.entries = entries;
        this.keysOnly = range.keysOnly();
        this.ownsView = ownsView;
        this.left = range.limit();
    }

    /** Moves to the next entry; false when there is none left. After a failure it fails again. */
    public synchronized boolean next() {
        int ticket = enter();
        try {
            if (failure != null) {
                throw failure;
            }
            if (left == 0 || !entries.next()) {
                left = 0;
                return false;
            }
            left--;
            return true;
        } catch (IOException e) {
            failure = StorageErrors.of("the scan", e);
            throw failure;
        } catch (KVStoreException e) {
            failure = e;
            throw e;
        } finally {
            calls.exit(ticket);
        }
    }

    /** The key of the current entry. */
    public synchronized byte[] key() {
        int ticket = enter();
        try {
            return entries.key();
        } finally {
            calls.exit(ticket);
        }
    }

    /** The value of the current entry; empty if only keys were asked for. */
    public synchronized byte[] value() {
        int ticket = enter();
        try {
            return keysOnly ? NO_VALUE : entries.value();
        } catch (IOException e) {
            throw StorageErrors.of("the scan", e);
        } finally {
            calls.exit(ticket);
        }
    }

    private int enter() {
        int ticket = calls.enter();
        if (closed) {
            calls.exit(ticket);
            throw new StoreClosedException("the cursor was closed");
        }
        return ticket;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            entries.close();
        }
        view.forget(this);
        if (ownsView) {
            view.close();
        }
    }
}
