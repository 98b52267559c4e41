package io.kvstore.value.segment;

/**
 * A value and the lsn of the write that put it.
 *
 * @param value a fresh array
 * @param lsn of the write
 */
public record StoredValue(byte[] value, long lsn) {}
