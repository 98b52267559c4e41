package io.kvstore.wal.format;

/**
 * The identity of a store: 128 random bits. It is written to the catalog and to the head of each log segment, so that files of
 * another store are noticed.
 */
public record StoreId(long high, long low) {}
