package io.kvstore;

/** The engines this project ships. Any provider on the class path may be named besides. */
public enum TableEngineType {
    /** A B+tree over a page buffer; in {@code kvstore-bplus}. */
    BPLUS,
    /** A log-structured merge tree; in {@code kvstore-lsm}. */
    LSM
}
