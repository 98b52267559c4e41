package io.kvstore.data;

import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * A 64-bit hash of a value, for optimistic concurrency. Equal values have equal tags on every engine. A value that was changed
 * and changed back has its old tag again (the ABA case). The hash is not made to resist forgery.
 */
public final class ValueTag {

    private ValueTag() {}

    /** The tag of a value: its CRC32C in the upper half, its CRC32 in the lower half. */
    public static long of(byte[] value) {
        CRC32C upper = new CRC32C();
        upper.update(value, 0, value.length);
        CRC32 lower = new CRC32();
        lower.update(value, 0, value.length);
        return upper.getValue() << 32 | lower.getValue();
    }
}
