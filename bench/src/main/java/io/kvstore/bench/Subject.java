package io.kvstore.bench;

import java.io.IOException;

/** A store under measurement. Any number of threads call it. */
interface Subject extends AutoCloseable {

    /**
     * Writes an entry.
     *
     * @param synced whether to return only when it survives a power loss; otherwise it survives the process
     */
    void put(byte[] key, byte[] value, boolean synced) throws IOException;

    /** Empties the memtables and ends all compactions, so that what follows begins in peace. */
    void settle() throws IOException;

    /** Syncs of the log so far, or -1 if the store does not tell. */
    long syncs();

    @Override
    void close() throws IOException;
}
