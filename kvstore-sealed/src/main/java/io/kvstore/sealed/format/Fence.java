package io.kvstore.sealed.format;

/**
 * Fences stand before records, about one for each 4 KiB of them, so that a search in the order of keys touches few places.
 *
 * @param head eight bytes of the record's key behind the bytes that all keys of the file have in common, as in
 *     {@link io.kvstore.data.KeyHead}
 * @param place where the record is, or its block
 * @param ordinal how many records are before it
 */
public record Fence(long head, long place, long ordinal) {

    public static final int BYTES = 3 * Long.BYTES;

    /** The next record behind so many bytes gets a fence. */
    public static final int SPAN_BYTES = 4 << 10;
}
