package io.kvstore.hash.index;

import io.kvstore.data.KeyHash;

/**
 * The hashes of one table. Tests cut them to a few bits, so that most keys have the same hash as many others.
 *
 * @param bits how many of the first bits are kept; the others are 0
 */
public record TableHash(KeyHash keyHash, int bits) {

    public TableHash {
        if (bits < 1 || bits > Long.SIZE) {
            throw new IllegalArgumentException("a hash of " + bits + " bits");
        }
    }

    /** Hashes of 64 bits. */
    public TableHash(KeyHash keyHash) {
        this(keyHash, Long.SIZE);
    }

    public long of(byte[] key) {
        return keyHash.of(key) & (-1L << -bits);
    }
}
