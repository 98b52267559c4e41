package io.kvstore.data;

/** One change of one key. Arrays are not copied and must not change until the write has returned. */
public sealed interface Mutation {

    /** The key that changes. */
    byte[] key();

    /** Sets the value of a key, whether it exists or not. */
    record Put(byte[] key, byte[] value) implements Mutation {}

    /** Removes a key, whether it exists or not. */
    record Remove(byte[] key) implements Mutation {}
}
