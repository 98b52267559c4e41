package io.kvstore.bench.store;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One thread's way to a store. Arrays that go in are used again by the caller; arrays that come out are the caller's own. */
interface Session extends AutoCloseable {

    /** What a scan hands each entry to. */
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

    /** Visits the entries from a key on, in order, at most {@code limit}. */
    void scan(byte[] from, int limit, Visitor visitor) throws IOException;

    @Override
    void close() throws IOException;
}
