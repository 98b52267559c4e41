package io.kvstore.sealed.perfect;

/** How a hash leads to the bucket and the slot of a part. The constants are of SplitMix64. */
final class PartHash {

    /** A pilot is a byte. */
    static final int PILOTS = 1 << Byte.SIZE;

    private static final long SEED_STEP = 0x9E3779B97F4A7C15L;
    private static final long FIRST = 0xBF58476D1CE4E5B9L;
    private static final long SECOND = 0x94D049BB133111EBL;

    private PartHash() {}

    /** The number of a hash. Different hashes have different ones. */
    static long mixed(long hash, int seed) {
        long given = hash + seed * SEED_STEP;
        long mixed = (given ^ (given >>> 31)) * FIRST;
        return mixed ^ (mixed >>> 29);
    }

    /** The bucket of a number, of as many as there are. */
    static int bucket(long mixed, int buckets) {
        return (int) Math.unsignedMultiplyHigh(mixed, buckets);
    }

    /** The slot to which a pilot leads a number, of as many as there are. */
    static int slot(long mixed, int pilot, int slots) {
        return (int) Math.unsignedMultiplyHigh((mixed ^ pilot * SEED_STEP) * SECOND, slots);
    }
}
