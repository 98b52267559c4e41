package io.kvstore;

import io.kvstore.data.EntryVisitor;

/**
 * A walk over the entries of a range as they were at one moment. Used by one thread at a time, but any thread may close it. A
 * cursor must be closed, because it keeps the entries that it sees from being given back, and holds up to 130 KiB of heap for
 * values that it reads in order.
 */
public interface Cursor extends AutoCloseable {

    /**
     * Moves to the next entry. The first call moves to the first entry. Returns false when there is no entry left.
     *
     * @throws io.kvstore.error.StoreClosedException if the store or this cursor was closed
     * @throws io.kvstore.error.CorruptionException if stored bytes are damaged
     */
    boolean next();

    /** The key of the current entry. Returns the same array each time it is called for an entry. */
    byte[] key();

    /**
     * The value of the current entry; empty when the range asks for keys only. Returns the same array each time it is called
     * for an entry. If the caller asks for the value of each entry, the values of the next few entries are read ahead.
     */
    byte[] value();

    /**
     * Passes the entries behind the current one to a visitor, until the visitor has enough or no entry is left. This is faster
     * than to ask for each entry, because values are not copied. Afterwards the cursor is at no entry. {@link #next} goes on
     * behind the last entry that was passed.
     *
     * @throws io.kvstore.error.StoreClosedException if the store or this cursor was closed
     * @throws io.kvstore.error.CorruptionException if stored bytes are damaged; the entries that were passed before are intact
     */
    void visit(EntryVisitor visitor);

    @Override
    void close();
}
