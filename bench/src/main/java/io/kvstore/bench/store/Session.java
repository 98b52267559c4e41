package io.kvstore.bench.store;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One thread's access to a store. The caller uses the arrays that it passes again. Arrays that are returned belong to the
 * caller.
 */
public interface Session extends AutoCloseable {

    /** Gets each entry of a scan. */
    @FunctionalInterface
    interface Visitor {
        void visit(byte[] key, byte[] value);
    }

    /** Writes an entry. */
    void put(byte[] key, byte[] value) throws IOException;

    /** Removes an entry. */
    void remove(byte[] key) throws IOException;

    /** The value of a key, or null. */
    byte @Nullable [] get(byte[] key) throws IOException;

    /** Visits at most {@code limit} entries in order, beginning with a key. */
    void scan(byte[] from, int limit, Visitor visitor) throws IOException;

    /** Puts an entry, and gets and removes the first one of the store. Returns the key of the removed one. */
    default byte[] turn(byte[] key, byte[] value) throws IOException {
        put(key, value);
        byte[][] first = new byte[1][];
        scan(new byte[1], 1, (found, any) -> first[0] = found);
        byte[] taken = first[0];
        if (taken == null) {
            throw new IllegalStateException("the store is empty");
        }
        remove(taken);
        return taken;
    }

    @Override
    void close() throws IOException;
}
