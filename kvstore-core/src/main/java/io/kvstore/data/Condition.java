package io.kvstore.data;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A condition on one key that must hold, under the table's write lock, for a write to be applied. */
public sealed interface Condition {

    /** The key whose value is checked. */
    byte[] key();

    /** Whether the condition holds for the key's latest value. Null means that the key is absent. */
    default boolean holds(byte @Nullable [] current) {
        return switch (this) {
            case Absent _ -> current == null;
            case Exists _ -> current != null;
            case ValueIs is -> current != null && Arrays.equals(current, is.expected());
            case TagIs is -> current != null && ValueTag.of(current) == is.tag();
        };
    }

    /** The key has no value. */
    record Absent(byte[] key) implements Condition {}

    /** The key has any value. */
    record Exists(byte[] key) implements Condition {}

    /** The key has exactly this value. */
    record ValueIs(byte[] key, byte[] expected) implements Condition {}

    /** The key has a value with this {@link ValueTag}. */
    record TagIs(byte[] key, long tag) implements Condition {}
}
