package io.kvstore.sealed.perfect;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;

/**
 * The end of the locator of a file with a perfect hash: the table of parts, these figures, and a checksum of both, which is
 * seeded by file and offset. Slots, pilots and extras are before it.
 *
 * @param extras how many keys have the hash of another
 * @param partBits bits of a hash that say to which part it belongs
 * @param slots how slots lead to records
 */
public record PerfectEnd(long extras, int partBits, SlotFormat slots) {

    /** Bytes behind the table. */
    public static final int BYTES = 16;

    /** Bytes of an extra: hash and place. */
    public static final int EXTRA_BYTES = 2 * Long.BYTES;

    /** Bytes of table and figures. */
    public long allBytes() {
        return ((long) PerfectHash.PART_BYTES << partBits) + BYTES;
    }

    /** The bytes of table and figures, which begin at an offset. */
    public byte[] write(byte[] table, long seed, long offset) {
        ByteWriter out = new ByteWriter(table.length + BYTES);
        out.raw(table).u64(extras);
        out.u8(partBits).u8(slots.bytes()).u8(slots.placeBits()).u8(0);
        return out.u32(checksum(out.toArray(), out.size(), seed, offset)).toArray();
    }

    private static int checksum(byte[] bytes, int length, long seed, long offset) {
        return Checksum.seeded(seed, offset, bytes, 0, length);
    }

    /** Reads figures, whose checksum was not looked at yet. */
    public static PerfectEnd read(ByteReader in) {
        long extras = in.u64();
        int partBits = in.u8();
        PerfectEnd end = new PerfectEnd(extras, partBits, new SlotFormat(in.u8(), in.u8()));
        if (in.u8() != 0) {
            throw in.corrupt("the end of the perfect hash has a field that this release does not know");
        }
        return end;
    }

    /**
     * Reads the table.
     *
     * @param bytes table and figures
     * @param offset where they begin in the file
     */
    public PerfectHash table(String path, byte[] bytes, long seed, long offset) {
        int checked = bytes.length - Integer.BYTES;
        ByteReader in = new ByteReader(path, offset, bytes, 0, bytes.length);
        if (new ByteReader(path, offset + checked, bytes, checked, Integer.BYTES).u32()
                != checksum(bytes, checked, seed, offset)) {
            throw in.corrupt("the checksum of the perfect hash is wrong");
        }
        return PerfectHash.read(in, partBits);
    }
}
