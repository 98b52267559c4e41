package io.kvstore;

/** The engines that this project ships. Other providers on the class path may be named too. */
public enum TableEngineType {
    /** A B+tree over a page buffer; in {@code kvstore-bplus}. */
    BPLUS,
    /** A hash table with all keys in memory, without an order of keys; in {@code kvstore-hash}. */
    HASH,
    /** A log-structured merge tree; in {@code kvstore-lsm}. */
    LSM,
    /** Files that are built once and swapped under readers, without writes; in {@code kvstore-sealed}. */
    SEALED
}
