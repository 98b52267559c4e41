package io.kvstore.client;

/**
 * A value with its tag. The tag is a 64-bit hash of the value. {@link ClientCondition#tagIs} compares it. A value that was
 * changed and changed back has its old tag again. The array is not copied.
 *
 * @param value the value
 * @param tag the hash of the value
 */
public record TaggedValue(byte[] value, long tag) {}
