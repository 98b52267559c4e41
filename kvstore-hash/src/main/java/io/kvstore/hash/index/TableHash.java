package io.kvstore.hash.index;

import io.kvstore.data.KeyHash;

/**
 * The hashes of one table. Tests cut them to a few bits, so that most keys have the same hash as many others.
 *
 * @param bits how many of the first bits are kept; the others are 0
 * @param isKnown whether the entries of the index have these hashes; the seed of a damaged table may be lost
 */
public record TableHash(KeyHash keyHash, int bits, boolean isKnown) {

    public TableHash {
        if (bits < 1 || bits > Long.SIZE) {
            throw new IllegalArgumentException("a hash of " + bits + " bits");
        }
    }

    /** Hashes of 64 bits. */
    public TableHash(KeyHash keyHash) {
        this(keyHash, Long.SIZE);
    }

    /** The hashes that the entries of the index have. */
    public TableHash(KeyHash keyHash, int bits) {
        this(keyHash, bits, true);
    }

    public long of(byte[] key) {
        return keyHash.of(key) & (-1L << -bits);
    }

    /** Whether an entry with the bits of a hash that the index has may be a key's. */
    public boolean mayBeOf(long entry, byte[] key) {
        return !isKnown || ((entry ^ of(key)) & EntryWord.HASH_BITS) == 0;
    }

    /** As {@link #mayBeOf}, for an entry of which only the first 32 bits are given. */
    public boolean mayBegin(long prefix, byte[] key) {
        return !isKnown || prefix == of(key) >>> Integer.SIZE;
    }

    /** As {@link #mayBeOf}, for an entry that a search for a hash met: the last bits are the same. */
    public boolean mayEnd(long hash, byte[] key) {
        return !isKnown || EntryWord.hasSameTag(hash, of(key));
    }
}
