package io.kvstore.value.segment;

/**
 * A record of a value segment, copied and checked.
 *
 * @param lsn of the write that put the value
 */
public record ValueRecord(byte[] key, long lsn, byte[] value) {}
