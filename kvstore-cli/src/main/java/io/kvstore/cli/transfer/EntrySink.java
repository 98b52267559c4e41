package io.kvstore.cli.transfer;

/** Where the entries of one table go. For use by one thread. */
interface EntrySink extends AutoCloseable {

    void put(byte[] key, byte[] value);

    /** Stores the entries that were put and are not stored yet. */
    void finish();

    /** Forgets what is not stored. */
    @Override
    void close();
}
