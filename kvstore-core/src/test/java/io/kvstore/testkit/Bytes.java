package io.kvstore.testkit;

import java.util.Arrays;

/** An array of bytes that can be compared and hashed. The array is not copied. */
final class Bytes {

    private final byte[] array;

    Bytes(byte[] array) {
        this.array = array;
    }

    byte[] array() {
        return array;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that && Arrays.equals(array, that.array);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(array);
    }

    @Override
    public String toString() {
        return array.length + " bytes " + Integer.toHexString(hashCode());
    }
}
