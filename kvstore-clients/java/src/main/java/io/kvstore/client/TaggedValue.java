package io.kvstore.client;

/**
 * A value with the 64-bit hash that {@link ClientCondition#tagIs} compares. A value that was changed and changed back has
 * its old tag again.
 *
 * @param value the value
 * @param tag its hash
 */
public record TaggedValue(byte[] value, long tag) {}
