package io.kvstore.sealed.format;

/**
 * Records of one length, each in the slot to which the perfect hash leads its key: key, value, and a checksum that is seeded by
 * file and offset. A slot that no key leads to has a copy of another record of its part. The slots of extras follow.
 *
 * @param keyBytes length of each key
 * @param valueBytes length of each value
 */
public record PointFormat(int keyBytes, int valueBytes) {

    /** Key and value together are not longer, so that a record has at most 64 bytes. */
    public static final int MOST_ENTRY_BYTES = 60;

    /** Bytes of a slot's number in the list of slots in the order of keys. */
    public static final int ORDER_BYTES = Integer.BYTES;

    /** Slots have numbers of 4 bytes. */
    public static final long MOST_SLOTS = 1L << 32;

    /** Key and value of a record. */
    public int entryBytes() {
        return keyBytes + valueBytes;
    }

    public int recordBytes() {
        return entryBytes() + Integer.BYTES;
    }

    /** Where the record of a slot begins. */
    public long offsetOf(long slot) {
        return SealedFormat.HEADER_BYTES + slot * recordBytes();
    }
}
