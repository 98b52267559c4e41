package io.kvstore.bench.maps;

import io.kvstore.bench.store.Shape;

/** How the keys of consecutive entries follow each other. A kind gives no two entries the same key. */
enum KeyKind {

    /** The key is the number of the entry. */
    SEQUENTIAL {
        @Override
        long key(long number) {
            return number;
        }
    },

    /**
     * Moderately random: many bits of a key say something about other bits, as in ids that several sources hand out. The
     * entries come in blocks of 1,024. In a block keys ascend, with gaps of 0 to 4 between them. The blocks are far apart, and
     * in no order. At most 2^42 entries.
     */
    MODERATE {
        @Override
        long key(long number) {
            long inBlock = number & BLOCK_ENTRIES - 1;
            long gap = Math.floorMod(Shape.mix(number), STEP);
            return (shuffled((int) (number / BLOCK_ENTRIES)) & 0xFFFF_FFFFL) * BLOCK_ENTRIES * STEP
                    + inBlock * STEP
                    + gap;
        }
    },

    /** Strongly random: each of the 64 bits of a key is one or zero whatever the others are. */
    RANDOM {
        @Override
        long key(long number) {
            return Shape.mix(number);
        }
    };

    private static final int BLOCK_ENTRIES = 1_024;
    private static final int STEP = 3;

    /** The key of an entry. */
    abstract long key(long number);

    /** The finalizer of MurmurHash3 for 32 bits. It is one to one, and its results are in no order. */
    private static int shuffled(int given) {
        int h = given;
        h = (h ^ (h >>> 16)) * 0x85EBCA6B;
        h = (h ^ (h >>> 13)) * 0xC2B2AE35;
        return h ^ (h >>> 16);
    }
}
