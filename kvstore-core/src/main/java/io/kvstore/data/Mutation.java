package io.kvstore.data;

/**
 * One change of one key. Its key is an array that nobody else has, and so is a value of at most {@link #COPIED_VALUE_BYTES}
 * of a table with a log. Another value is not copied, and may change while it is written if its owner makes that mistake: so
 * an engine keeps no value's array, and reads it once.
 */
public sealed interface Mutation {

    /** Values up to this length are copied before they are written: that takes less time than the rest of a write. */
    int COPIED_VALUE_BYTES = 1 << 10;

    /** The key that changes. */
    byte[] key();

    /** Sets the value of a key, whether it exists or not. */
    record Put(byte[] key, byte[] value) implements Mutation {}

    /** Removes a key, whether it exists or not. */
    record Remove(byte[] key) implements Mutation {}
}
