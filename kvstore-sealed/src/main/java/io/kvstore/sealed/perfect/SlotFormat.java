package io.kvstore.sealed.perfect;

/**
 * Slots that lead to records: the place of a record, and above it as many lower bits of its hash as there is room for, at least
 * eight. A slot without a record is 0, because no place is.
 *
 * @param bytes of a slot; 0 if the slots have the records themselves
 * @param placeBits of a place
 */
public record SlotFormat(int bytes, int placeBits) {

    /** Of a file whose slots have the records themselves. */
    public static final SlotFormat RECORDS = new SlotFormat(0, 0);

    private static final int LEAST_HASH_BITS = 8;
    private static final int MOST_BYTES = 7;

    /** The shortest slots for places up to one. */
    public static SlotFormat of(long mostPlace) {
        int placeBits = Long.SIZE - Long.numberOfLeadingZeros(mostPlace | 1);
        return new SlotFormat((placeBits + LEAST_HASH_BITS + Byte.SIZE - 1) / Byte.SIZE, placeBits);
    }

    /** Whether there can be such slots that lead to records. */
    public boolean isBelievable() {
        return bytes <= MOST_BYTES && placeBits > 0 && placeBits + LEAST_HASH_BITS <= bits();
    }

    private int bits() {
        return bytes * Byte.SIZE;
    }

    /** A slot from the number of eight bytes at its beginning. */
    public long slot(long number) {
        return number & ((1L << bits()) - 1);
    }

    /** The slot of a key. */
    public long slot(long hash, long place) {
        return slot(hash << placeBits | place);
    }

    /** Whether a slot, which is not 0, may be that of a key. */
    public boolean isOf(long slot, long hash) {
        return slot >>> placeBits == slot(hash << placeBits) >>> placeBits;
    }

    public long place(long slot) {
        return slot & ((1L << placeBits) - 1);
    }
}
