package io.kvstore.testkit;

import java.util.Arrays;

/** An array of bytes that can be compared and hashed. The array is not copied. */
final class Bytes {

    private final byte[] array;
    private final int hash;

    Bytes(byte[] array) {
        this.array = array;
        this.hash = Arrays.hashCode(array);
    }

    byte[] array() {
        return array;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that && hash == that.hash && Arrays.equals(array, that.array);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return array.length + " bytes " + Integer.toHexString(hash);
    }
}
