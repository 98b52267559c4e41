package io.kvstore;

/**
 * A walk over the entries of a range as they were at one moment. Used by one thread at a time; any thread may close it, and
 * it must be closed, because it keeps what it sees from being given back.
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

    @Override
    void close();
}
