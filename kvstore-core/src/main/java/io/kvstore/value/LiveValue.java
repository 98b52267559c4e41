package io.kvstore.value;

import io.kvstore.value.segment.ValuePointer;

/** A value that was read from a segment and may be moved. {@code lsn} is that of the operation that put it. */
public record LiveValue(ValuePointer from, byte[] key, long lsn, byte[] value) {}
