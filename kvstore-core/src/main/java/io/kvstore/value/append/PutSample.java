package io.kvstore.value.append;

import io.kvstore.data.KeyHash;
import java.util.Arrays;

/**
 * Guesses whether values are put for new keys or replace others, from a sample of the keys: those whose hash is a multiple of a
 * number. A bit of a small set tells that a key was probably put before. One thread at a time notes; any thread asks.
 */
final class PutSample {

    /** About one key in the sample stands for this number of bytes: of longer values more keys are in the sample. */
    private static final int SAMPLED_BYTES = 256 << 10;

    /** So many bits are 8 KiB. */
    private static final int BITS = 1 << 16;

    /** With more bits set, too many new keys would look as if they were put before. Then the set begins anew. */
    private static final int MOST_SET = BITS / 4;

    /** The guess is made anew after this number of keys of the sample. */
    private static final int ROUND = 32;

    private final KeyHash keyHash;
    private final long[] bits = new long[BITS / Long.SIZE];
    private int set;
    private int noted;
    private int repeated;
    private volatile boolean replaces;

    PutSample(KeyHash keyHash) {
        this.keyHash = keyHash;
        long _ = keyHash.of(new byte[Long.BYTES]); // what the JVM links with the first hash is not linked under a put
    }

    void note(byte[] key, int length) {
        long hash = keyHash.of(key);
        if (hash % Math.max(1, SAMPLED_BYTES / length) == 0) {
            add((int) (hash >>> Integer.SIZE) & BITS - 1);
        }
    }

    private void add(int bit) {
        long mask = 1L << bit;
        if ((bits[bit / Long.SIZE] & mask) != 0) {
            repeated++;
        } else {
            bits[bit / Long.SIZE] |= mask;
            set++;
        }
        if (++noted == ROUND) {
            replaces = repeated >= ROUND / 2;
            noted = 0;
            repeated = 0;
        }
        if (set > MOST_SET) {
            Arrays.fill(bits, 0);
            set = 0;
        }
    }

    /** Whether most of the last values replaced others. */
    boolean replaces() {
        return replaces;
    }
}
