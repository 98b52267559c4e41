package io.kvstore.hash.table;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The last removals: the operation on which the answer rests that a key is absent. Keys whose hashes begin with the same bits
 * share a number, so the answer may rest on another key's removal, and on no put at all.
 */
final class Removals {

    private static final int BITS = 12;

    private final AtomicLongArray lsns = new AtomicLongArray(1 << BITS);

    /** Called before the operation is applied as a whole. */
    void note(long hash, long lsn) {
        lsns.setRelease(at(hash), lsn);
    }

    long last(long hash) {
        return lsns.getAcquire(at(hash));
    }

    private static int at(long hash) {
        return (int) (hash >>> (Long.SIZE - BITS));
    }
}
