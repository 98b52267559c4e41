package io.kvstore.sealed.perfect;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;

/**
 * The parts of a perfect hash: which slots and buckets each has, and its seed. Slots and buckets are numbered through all
 * parts. The pilots of the buckets are elsewhere.
 */
public final class PerfectHash {

    /** Bytes of a part in a table. */
    public static final int PART_BYTES = 2 * Long.BYTES;

    /** Parts have half as many keys as this, up to as many. */
    private static final int MOST_KEYS_LOG = 16;

    /** A table with more parts for its keys is damage, and takes no memory. */
    private static final int LEAST_KEYS = 1_024;

    private static final int MOST_PART_BITS = 26;
    private static final int SEED_SHIFT = 56;
    private static final long BUCKETS = (1L << SEED_SHIFT) - 1;

    /** A slot or bucket has a smaller number. */
    private static final long MOST_NUMBER = 1L << 47;

    private final int partBits;

    /** Where the slots and the buckets of each part begin, and where the last ones end. */
    private final long[] slotStarts;

    private final long[] bucketStarts;
    private final byte[] seeds;

    private PerfectHash(int partBits, long[] slotStarts, long[] bucketStarts, byte[] seeds) {
        this.partBits = partBits;
        this.slotStarts = slotStarts;
        this.bucketStarts = bucketStarts;
        this.seeds = seeds;
    }

    /** The bits of a hash that say which part it belongs to, in a file of so many keys. */
    public static int partBits(long keys) {
        int log = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, keys) - 1);
        return Math.clamp(log - MOST_KEYS_LOG, 0, MOST_PART_BITS);
    }

    /** The part of a hash. Parts ascend with hashes. */
    public static int part(long hash, int partBits) {
        return (int) (hash >>> 1 >>> (Long.SIZE - 1 - partBits));
    }

    /** Collects the parts of a perfect hash, from the first on. */
    public static final class Table {
        private final ByteWriter bytes = new ByteWriter();
        private long slots;
        private long buckets;

        /** Adds the part that was placed last. */
        public void add(PartPlacing part) {
            slots += part.slots();
            buckets += part.buckets();
            bytes.u64(slots).u64(buckets | (long) part.seed() << SEED_SHIFT);
        }

        /** The slots of all parts that were added. */
        public long slots() {
            return slots;
        }

        public byte[] toBytes() {
            return bytes.toArray();
        }
    }

    /** Whether a table for so many keys may have the parts of so many bits of a hash. */
    public static boolean isBelievable(int partBits, long keys) {
        return partBits <= MOST_PART_BITS && 1L << partBits <= keys / LEAST_KEYS + 1;
    }

    /** Reads a table whose checksum was right. */
    public static PerfectHash read(ByteReader in, int partBits) {
        int parts = 1 << partBits;
        long[] slotStarts = new long[parts + 1];
        long[] bucketStarts = new long[parts + 1];
        byte[] seeds = new byte[parts];
        for (int part = 0; part < parts; part++) {
            slotStarts[part + 1] = in.u64();
            long buckets = in.u64();
            bucketStarts[part + 1] = buckets & BUCKETS;
            seeds[part] = (byte) (buckets >>> SEED_SHIFT);
            if (!isPart(slotStarts[part + 1] - slotStarts[part], bucketStarts[part + 1] - bucketStarts[part])
                    || slotStarts[part + 1] > MOST_NUMBER) {
                throw in.corrupt("part " + part + " of the perfect hash has slots or buckets that cannot be");
            }
        }
        return new PerfectHash(partBits, slotStarts, bucketStarts, seeds);
    }

    /** A part has slots and buckets or neither, and fewer than an int has numbers. */
    private static boolean isPart(long slots, long buckets) {
        return slots >= 0
                && slots <= Integer.MAX_VALUE
                && buckets >= 0
                && buckets <= Integer.MAX_VALUE
                && (slots == 0) == (buckets == 0);
    }

    /** The slots of all parts. */
    public long slots() {
        return slotStarts[slotStarts.length - 1];
    }

    /** The buckets of all parts. */
    public long buckets() {
        return bucketStarts[bucketStarts.length - 1];
    }

    /** The part of a hash. */
    public int partOf(long hash) {
        return part(hash, partBits);
    }

    /** The number of a hash of a part, which the next two take. */
    public long mixed(int part, long hash) {
        return PartHash.mixed(hash, seeds[part] & 0xFF);
    }

    /** The bucket of a number of a part; -1 if there is none. */
    public long bucketOf(int part, long mixed) {
        long first = bucketStarts[part];
        int buckets = (int) (bucketStarts[part + 1] - first);
        return buckets == 0 ? -1 : first + PartHash.bucket(mixed, buckets);
    }

    /** The slot to which the pilot of its bucket leads a number of a part. */
    public long slotOf(int part, long mixed, int pilot) {
        long first = slotStarts[part];
        return first + PartHash.slot(mixed, pilot, (int) (slotStarts[part + 1] - first));
    }
}
