package io.kvstore;

import io.kvstore.data.KeyRange;
import io.kvstore.durability.PinnedView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All tables of a store as they were at one moment, whole batches only, exact across tables and engines. Safe for use by
 * several threads. Close it: it keeps old versions from being given back. A dropped or truncated table is still seen.
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

    /** The lsn of the last operation it sees. */
    public long lsn() {
        return view.lsn();
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(Table table, byte[] key) {
        return view.get(table.in(store), Limits.key(key));
    }

    /** The values of several keys, in the order given, null where there is none. */
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
    public void close() {
        view.close();
    }
}
