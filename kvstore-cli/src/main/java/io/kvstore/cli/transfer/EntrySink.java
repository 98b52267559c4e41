package io.kvstore.cli.transfer;

/** Where the entries of one table go. For use by one thread. */
interface EntrySink extends AutoCloseable {

    void put(byte[] key, byte[] value);

    /** Stores what was put and is not stored yet. */
    void finish();

    /** Forgets what is not stored. */
    @Override
    void close();
}
