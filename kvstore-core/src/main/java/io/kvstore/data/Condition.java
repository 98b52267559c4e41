package io.kvstore.data;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What must hold of one key, under the table's write lock, for a write to be applied. */
public sealed interface Condition {

    /** The key that is looked at. */
    byte[] key();

    /** Whether the condition holds for the key's latest value, null meaning that the key is absent. */
    boolean holds(byte @Nullable [] current);

    /** The key has no value. */
    @SuppressWarnings("ArrayRecordComponent") // compared by identity, never used as a map key
    record Absent(byte[] key) implements Condition {
        @Override
        public boolean holds(byte @Nullable [] current) {
            return current == null;
        }
    }

    /** The key has a value, whichever. */
    @SuppressWarnings("ArrayRecordComponent") // compared by identity, never used as a map key
    record Exists(byte[] key) implements Condition {
        @Override
        public boolean holds(byte @Nullable [] current) {
            return current != null;
        }
    }

    /** The key has exactly this value. */
    @SuppressWarnings("ArrayRecordComponent") // compared by identity, never used as a map key
    record ValueIs(byte[] key, byte[] expected) implements Condition {
        @Override
        public boolean holds(byte @Nullable [] current) {
            return current != null && Arrays.equals(current, expected);
        }
    }

    /** The key has a value with this {@link ValueTag}. */
    @SuppressWarnings("ArrayRecordComponent") // compared by identity, never used as a map key
    record TagIs(byte[] key, long tag) implements Condition {
        @Override
        public boolean holds(byte @Nullable [] current) {
            return current != null && ValueTag.of(current) == tag;
        }
    }
}
