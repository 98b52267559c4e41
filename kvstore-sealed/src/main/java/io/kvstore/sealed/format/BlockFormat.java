package io.kvstore.sealed.format;

/**
 * Blocks of records in a file with a codec. A block has a frame as in an SSTable, and a payload that is packed if that makes it
 * an eighth shorter. The payload is records without checksums, the offset of each, and their number.
 */
public final class BlockFormat {

    public static final int FRAME_BYTES = 12;

    /** A block ends before the record with this number, so that a place has room for the number. */
    public static final int MOST_RECORDS = 1 << 12;

    /** Bytes of records in a block, unless it has only one. */
    public static final int MOST_BLOCK_BYTES = 1 << 20;

    /** Bytes of the offsets and of their number. */
    public static final int MOST_INDEX_BYTES = MOST_RECORDS * Integer.BYTES + Short.BYTES;

    /** A file has at most so many blocks. */
    public static final long MOST_BLOCKS = LocatorLine.PLACES / MOST_RECORDS - 1;

    /** No payload is longer than this number of times its packed form. */
    static final int MOST_RATIO = 1024;

    /** The type of a block of records. */
    static final int RECORDS = 1;

    /** Offsets take 2 bytes up to this length of all records, and 4 beyond. */
    static final int SHORT_OFFSETS_BYTES = 0xFFFF;

    private static final int NUMBER_BITS = Integer.numberOfTrailingZeros(MOST_RECORDS);

    private BlockFormat() {}

    /** The place of a record in a word of the locator. Blocks count from 1 there, because no word is 0. */
    public static long place(long block, int record) {
        return (block + 1) << NUMBER_BITS | record;
    }

    /** The block of a place; -1 if there is none. */
    public static long blockOf(long place) {
        return (place >>> NUMBER_BITS) - 1;
    }

    /** The number of a record in its block. */
    public static int recordOf(long place) {
        return (int) place & (MOST_RECORDS - 1);
    }

    /** The length of the offset of a record. */
    public static int offsetBytes(int recordsBytes) {
        return recordsBytes <= SHORT_OFFSETS_BYTES ? Short.BYTES : Integer.BYTES;
    }

    /** The most bytes of the payload of a block: as many as it is to have, or one record. */
    public static long mostPayload(int blockBytes, long mostEntryBytes) {
        return Math.max(blockBytes, RecordHead.MOST_BYTES + mostEntryBytes) + MOST_INDEX_BYTES;
    }

    /** Whether a payload of a length may have been packed to another one. */
    public static boolean isBelievable(long payload, int packed) {
        return payload > 0 && payload <= (long) packed * MOST_RATIO;
    }

    /** The number in a frame behind the length of the payload. */
    public static int kind(int codec) {
        return RECORDS | codec << 8;
    }
}
