package io.kvstore.client;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key with its value. The arrays are not copied; two entries are equal when their bytes are.
 *
 * @param key the key
 * @param value the value; null when only keys were asked for, and when it is too large for an answer
 * @param valueBytes the value's size when it is too large for an answer: get it by its key. Else -1
 */
public record ClientEntry(byte[] key, byte @Nullable [] value, long valueBytes) {

    /** Whether the value is left out because it is too large. */
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
