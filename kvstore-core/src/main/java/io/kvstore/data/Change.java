package io.kvstore.data;

/** One change of one key: what the key becomes, or how that is computed from its present value. */
public sealed interface Change permits Mutation, Merge {

    /** The key that is changed. */
    byte[] key();
}
