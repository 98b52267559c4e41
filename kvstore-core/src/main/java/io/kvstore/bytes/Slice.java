package io.kvstore.bytes;

import java.util.Arrays;

/**
 * A part of an array, not copied. It is valid as long as the array's owner does not change the array. Slices are compared by
 * the identity of the array.
 */
public record Slice(byte[] array, int offset, int length) {

    public byte[] toArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    /** The array itself if the slice is all of it, else the bytes in a new array. */
    public byte[] toWholeArray() {
        return offset == 0 && length == array.length ? array : toArray();
    }

    public static Slice of(byte[] array) {
        return new Slice(array, 0, array.length);
    }
}
