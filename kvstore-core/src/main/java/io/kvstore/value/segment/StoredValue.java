package io.kvstore.value.segment;

/** A value, in a fresh array, and the lsn of the write that put it. */
public record StoredValue(byte[] value, long lsn) {}
