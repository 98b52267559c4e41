package io.kvstore.client;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key with its value. The arrays are not copied. Two entries are equal if their bytes and sizes are equal.
 *
 * @param key the key
 * @param value the value; null if the scan leaves out values, or if the value is too large for an answer
 * @param valueBytes the size in bytes of a value that is too large for an answer, else -1. Such a value can be read by its key
 */
public record ClientEntry(byte[] key, byte @Nullable [] value, long valueBytes) {

    /** Whether the value was left out because it is too large for an answer. */
    public boolean isTooLarge() {
        return valueBytes >= 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClientEntry that
                && Arrays.equals(key, that.key)
                && Arrays.equals(value, that.value)
                && valueBytes == that.valueBytes;
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(key) + Arrays.hashCode(value);
    }
}
