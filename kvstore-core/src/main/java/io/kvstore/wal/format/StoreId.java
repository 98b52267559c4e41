package io.kvstore.wal.format;

/**
 * The identity of a store. It is written to the catalog and to the head of each log segment, so that files of another store are
 * noticed.
 *
 * @param high upper half of 128 random bits
 * @param low lower half
 */
public record StoreId(long high, long low) {}
