package io.kvstore.io;

/**
 * A part of an array, not copied: valid as long as the array's owner leaves it alone. Compared by identity of the array.
 *
 * @param array holds the bytes
 * @param offset where they begin
 * @param length how many they are
 */
public record Slice(byte[] array, int offset, int length) {

    /** A whole array. */
    public static Slice of(byte[] array) {
        return new Slice(array, 0, array.length);
    }
}
