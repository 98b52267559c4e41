package io.kvstore.data;

import java.util.Arrays;

/**
 * A key with its value. The arrays are not copied. Two entries are equal if their bytes are equal.
 *
 * @param key the key, 0 to 65,535 bytes
 * @param value the value; empty if only keys were asked for
 */
public record Entry(byte[] key, byte[] value) {

    @Override
    public boolean equals(Object other) {
        return other instanceof Entry that && Arrays.equals(key, that.key) && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(key) + Arrays.hashCode(value);
    }

    @Override
    public String toString() {
        return "Entry[" + KeyOrder.display(key) + ", " + value.length + " bytes]";
    }
}
