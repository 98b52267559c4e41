package io.kvstore.value.segment;

import org.jspecify.annotations.Nullable;

/**
 * The value of a key, or that it has none, and the operation on which that rests.
 *
 * @param value a fresh array; null if the key has no value
 * @param lsn of the write that put the value, or of an operation that has seen that there is none
 */
public record StoredValue(byte @Nullable [] value, long lsn) {}
