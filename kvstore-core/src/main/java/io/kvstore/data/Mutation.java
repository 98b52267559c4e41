package io.kvstore.data;

/**
 * One change of one key. Its key, and a value of at most {@link #COPIED_VALUE_BYTES}, are arrays that nobody else has; a longer
 * value is not copied, and may change while it is written if its owner makes that mistake.
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
