package io.kvstore;

import io.kvstore.data.KeyRange;
import io.kvstore.durability.PinnedView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All tables of a store as they were at one moment, exact across tables and engines. A batch is seen as a whole or not at all.
 * Safe for use by several threads. A snapshot must be closed, because it keeps old versions from being given back. It still
 * sees a table that was dropped or truncated meanwhile.
 *
 * <p>Every call throws {@link io.kvstore.error.StoreClosedException} once the snapshot or the store was closed.
 */
public final class Snapshot implements AutoCloseable {

    private final KVStore store;
    private final PinnedView view;

    Snapshot(KVStore store, PinnedView view) {
        this.store = store;
        this.view = view;
    }

    /** The lsn of the last operation that the snapshot sees. */
    public long lsn() {
        return view.lsn();
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(Table table, byte[] key) {
        return view.get(table.in(store), Limits.key(key));
    }

    /** The values of several keys, in the order of the given keys; null for a key without a value. */
    public List<byte @Nullable []> getAll(Table table, List<byte[]> keys) {
        List<byte @Nullable []> values = new ArrayList<>(keys.size());
        for (byte[] key : keys) {
            values.add(get(table, key));
        }
        return values;
    }

    /** The entries of a range. Closing the snapshot closes the cursor. */
    public Cursor scan(Table table, KeyRange range) {
        return new OpenCursor(view.scan(table.in(store), range, false));
    }

    /** How many entries a range has. */
    public long count(Table table, KeyRange range) {
        return view.count(table.in(store), range);
    }

    @Override
    public String toString() {
        return "Snapshot[lsn " + lsn() + "]";
    }

    @Override
    public void close() {
        view.close();
    }
}
