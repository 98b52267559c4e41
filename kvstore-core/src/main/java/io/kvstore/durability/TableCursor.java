package io.kvstore.durability;

import io.kvstore.bytes.Slice;
import io.kvstore.data.EntryVisitor;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.error.StoreClosedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A cursor of the API over a cursor of an engine. It adds the limit, keys only, and closing from any thread.
 *
 * <p>Entering the store for each key and each value would cost more than finding them. So several entries are fetched at a
 * time, and more with each fetch, while the caller takes all of them. Values are fetched too if the caller asked for each
 * value of the entries before. Otherwise one entry is fetched at a time, and its value when the caller asks for it.
 */
public final class TableCursor implements AutoCloseable {

    private static final byte[] NO_VALUE = {};
    private static final int MOST_ENTRIES = 32;
    private static final int MOST_VISITED = 128;
    private static final long MOST_BYTES = 256 << 10;

    private final CallGate calls;
    private final PinnedView view;
    private final EngineCursor entries;
    private final boolean keysOnly;
    private final boolean ownsView;
    private long left;
    private volatile boolean closed;

    /** Set when a thread waits to close the cursor. */
    private volatile boolean isClosing;

    private @Nullable RuntimeException failure;

    /** Whether an Error, such as a lack of memory, ended a step halfway. Then the position of the entries is unknown. */
    private boolean isTorn;

    // the fetched entries, for the thread that uses the cursor
    private byte[][] keys = new byte[1][];

    /** For each entry its value, or the exception of reading it, or null if it was not fetched. */
    private @Nullable Object[] values = new Object[1];

    private int count;
    private int at = -1;
    private int valuesAsked;
    private boolean isValueAsked;

    /** Whether a visitor took the entry. */
    private boolean isBehind;

    TableCursor(CallGate calls, PinnedView view, EngineCursor entries, KeyRange range, boolean ownsView) {
        this.calls = calls;
        this.view = view;
        this.entries = entries;
        this.keysOnly = range.keysOnly();
        this.ownsView = ownsView;
        this.left = range.limit();
        entries.stopWhen(() -> isClosing || calls.isClosed());
        entries.rest(); // it may be long until the first step
    }

    /** Moves to the next entry. Returns false if there is none. After a failure it fails again. */
    public boolean next() {
        isValueAsked = false;
        isBehind = false;
        if (at + 1 < count) {
            requireOpen();
            at++;
        } else {
            fetch();
        }
        return count > 0;
    }

    public byte[] key() {
        requireOpen();
        requireEntry();
        return keys[at];
    }

    public byte[] value() {
        requireOpen();
        requireEntry();
        if (keysOnly) {
            return NO_VALUE;
        }
        if (!isValueAsked) {
            isValueAsked = true;
            valuesAsked++;
        }
        Object value = values[at];
        if (value == null) {
            value = fetchValue();
            values[at] = value;
        }
        if (value instanceof RuntimeException missing) {
            throw missing;
        }
        return (byte[]) value;
    }

    public void visit(EntryVisitor visitor) {
        boolean isMore = visitFetched(visitor);
        isBehind = true;
        while (isMore) {
            isMore = visitSome(visitor);
        }
    }

    /** Passes the entries on that were fetched before. Returns false if the visitor has enough. */
    private boolean visitFetched(EntryVisitor visitor) {
        while (at + 1 < count) {
            next();
            byte[] value = value();
            if (!visitor.visit(key(), ByteBuffer.wrap(value))) {
                return false;
            }
        }
        return true;
    }

    /** Passes a few entries on, so that a thread that closes the cursor or the store does not wait for long. */
    private synchronized boolean visitSome(EntryVisitor visitor) {
        int ticket = enter();
        boolean wasOutside = false;
        try {
            wasOutside = calls.isOutsideCallbacks();
            calls.beginCallbacks();
            for (int i = 0; i < MOST_VISITED; i++) {
                if (!advance()) {
                    throwKeptFailure();
                    return false;
                }
                Slice value = keysOnly ? Slice.of(NO_VALUE) : entries.valueHere();
                // only the slice, as the array around it may have records that are still to be read
                ByteBuffer buffer = ByteBuffer.wrap(value.array(), value.offset(), value.length())
                        .slice();
                boolean isMore = visitor.visit(entries.key(), buffer);
                if (!isMore || closed) {
                    return isMore;
                }
            }
            return true;
        } catch (IOException e) {
            throw StorageErrors.of("the scan", e);
        } finally {
            try {
                entries.rest();
            } finally {
                calls.exitCallbacks(ticket, wasOutside);
            }
        }
    }

    private void throwKeptFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    private void requireOpen() {
        if (closed || calls.isClosed()) {
            calls.exit(enter());
        }
    }

    private void requireEntry() {
        if (count == 0 || isBehind) {
            throw new IllegalStateException("the cursor is at no entry");
        }
    }

    private synchronized void fetch() {
        int ticket = enter();
        try {
            boolean wereUsed = count > 0 && (keysOnly || valuesAsked == count);
            int most = wereUsed ? Math.min(2 * keys.length, MOST_ENTRIES) : 1;
            count = 0;
            at = 0;
            valuesAsked = 0;
            fetch((int) Math.min(most, Math.max(1, left)), wereUsed && !keysOnly);
        } finally {
            exit(ticket);
        }
        if (count == 0) {
            throwKeptFailure();
        }
    }

    private void fetch(int most, boolean withValues) {
        keys = new byte[most][];
        values = new Object[most];
        long bytes = 0;
        while (count < most && bytes < MOST_BYTES && advance()) {
            Object value = withValues ? valueOrFailure() : null;
            byte[] key = entries.key();
            keys[count] = key;
            values[count] = value;
            count++;
            bytes += key.length + (value instanceof byte[] found ? found.length : 0);
        }
    }

    /** Moves the engine's cursor. A failure behind fetched entries is thrown after the caller has taken these entries. */
    private boolean advance() {
        if (failure != null || left == 0) {
            return false;
        }
        if (isTorn) {
            throw new IllegalStateException("the cursor met an error in the middle of a step; open another one");
        }
        try {
            isTorn = true;
            boolean isMore = entries.next();
            isTorn = false;
            if (isMore) {
                left--;
                return true;
            }
            left = 0;
        } catch (IOException e) {
            failure = StorageErrors.of("the scan", e);
        } catch (RuntimeException e) {
            failure = e;
        }
        return false;
    }

    private Object valueOrFailure() {
        try {
            return entries.value();
        } catch (IOException e) {
            return StorageErrors.of("the scan", e);
        } catch (RuntimeException e) {
            return e;
        }
    }

    private synchronized byte[] fetchValue() {
        int ticket = enter();
        try {
            return entries.value();
        } catch (IOException e) {
            throw StorageErrors.of("the scan", e);
        } finally {
            exit(ticket);
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

    /** Ends a call, whatever resting throws: closing the store waits for each call. */
    private void exit(int ticket) {
        try {
            entries.rest();
        } finally {
            calls.exit(ticket);
        }
    }

    @Override
    public void close() {
        isClosing = true;
        try {
            closeEntries();
        } finally {
            view.forget(this);
            if (ownsView) {
                view.close();
            }
        }
    }

    private synchronized void closeEntries() {
        if (!closed) {
            closed = true;
            entries.close();
        }
    }
}
