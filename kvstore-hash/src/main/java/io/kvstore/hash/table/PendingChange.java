package io.kvstore.hash.table;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A change of one key that is not in the index yet. The lsn and the place are set before another thread can see it. */
final class PendingChange {

    private static final int REMOVAL = -1;

    private final long hash;
    private final byte[] key;
    private final int valueLength;

    /** Whether room for an entry is promised in the index. A removal needs none, nor does a key that has an entry. */
    private final boolean hasRoom;

    private long place = Places.NONE;
    private long lsn;

    PendingChange(long hash, byte[] key, byte @Nullable [] value, boolean hasRoom) {
        this.hash = hash;
        this.key = key;
        this.valueLength = value == null ? REMOVAL : value.length;
        this.hasRoom = hasRoom;
    }

    void applied(long operation, long at) {
        lsn = operation;
        place = at;
    }

    boolean isOf(long otherHash, byte[] otherKey) {
        return hash == otherHash && Arrays.equals(key, otherKey);
    }

    boolean isOfKey(PendingChange other) {
        return Arrays.equals(key, other.key);
    }

    boolean isRemoval() {
        return valueLength == REMOVAL;
    }

    boolean hasRoom() {
        return hasRoom;
    }

    long hash() {
        return hash;
    }

    byte[] key() {
        return key;
    }

    int valueLength() {
        return valueLength;
    }

    /** {@link Places#NONE} for a removal. */
    long place() {
        return place;
    }

    long lsn() {
        return lsn;
    }
}
