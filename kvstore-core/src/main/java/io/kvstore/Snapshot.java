package io.kvstore;

import io.kvstore.data.KeyRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All tables of a store as they were at one moment, whole batches only, exact across tables and engines. Safe for use by
 * several threads. Close it: it keeps old versions from being given back.
 */
public final class Snapshot implements AutoCloseable {

    Snapshot() {}

    /** The lsn of the last operation it sees. */
    public long lsn() {
        throw new UnsupportedOperationException();
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(Table table, byte[] key) {
        throw new UnsupportedOperationException();
    }

    /** The values of several keys, in the order given, null where there is none. */
    public List<byte @Nullable []> getAll(Table table, List<byte[]> keys) {
        throw new UnsupportedOperationException();
    }

    /** The entries of a range. */
    public Cursor scan(Table table, KeyRange range) {
        throw new UnsupportedOperationException();
    }

    /** How many entries a range has. */
    public long count(Table table, KeyRange range) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
