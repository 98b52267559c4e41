package io.kvstore.io;

import java.util.Arrays;

/**
 * A part of an array, not copied: valid as long as the array's owner leaves it alone. Compared by identity of the array.
 *
 * @param array holds the bytes
 * @param offset where they begin
 * @param length how many they are
 */
public record Slice(byte[] array, int offset, int length) {

    /** The bytes in a fresh array. */
    public byte[] toArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    /** The bytes as they are if they are all of their array, else in a fresh one. */
    public byte[] toWholeArray() {
        return offset == 0 && length == array.length ? array : toArray();
    }

    /** A whole array. */
    public static Slice of(byte[] array) {
        return new Slice(array, 0, array.length);
    }
}
