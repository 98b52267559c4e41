package io.kvstore.value.segment;

/**
 * A record of a value segment, copied and checked.
 *
 * @param lsn of the write that put the value
 */
public record ValueRecord(byte[] key, long lsn, byte[] value) {

    /** What a record says of itself. It was not checked. */
    public record Head(byte[] key, long lsn, int valueLength) {}
}
