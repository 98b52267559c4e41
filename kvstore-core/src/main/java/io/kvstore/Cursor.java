package io.kvstore;

import io.kvstore.data.EntryVisitor;

/**
 * A walk over the entries of a range as they were at one moment. Used by one thread at a time; any thread may close it, and
 * it must be closed, because it keeps what it sees from being given back, and up to 130 KiB of heap for values that it reads in
 * order.
 */
public interface Cursor extends AutoCloseable {

    /**
     * Moves to the next entry; the first call moves to the first. False when there is none left.
     *
     * @throws io.kvstore.error.StoreClosedException if the store or this cursor was closed
     * @throws io.kvstore.error.CorruptionException if stored bytes are damaged
     */
    boolean next();

    /** The key of the current entry; the same array each time it is asked for. */
    byte[] key();

    /**
     * The value of the current entry; empty when the range asks for keys only. The same array each time it is asked for.
     * Whoever asks for the value of each entry gets those of the next few read ahead.
     */
    byte[] value();

    /**
     * Passes the entries behind the current one to a visitor, until it has enough or none is left; faster than asking for each
     * of them, for values are not copied. Then the cursor is at no entry; {@link #next} goes on behind the last one that was
     * passed.
     *
     * @throws io.kvstore.error.StoreClosedException if the store or this cursor was closed
     * @throws io.kvstore.error.CorruptionException if stored bytes are damaged; what was passed before is whole
     */
    void visit(EntryVisitor visitor);

    @Override
    void close();
}
