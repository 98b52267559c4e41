package io.kvstore.data;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A condition on one key that must hold, under the table's write lock, for a write to be applied. */
public sealed interface Condition {

    /** The key whose value is checked. */
    byte[] key();

    /** Whether the condition holds for the key's latest value. Null means that the key is absent. */
    boolean holds(byte @Nullable [] current);

    /** The key has no value. */
    record Absent(byte[] key) implements Condition {
        @Override
        public boolean holds(byte @Nullable [] current) {
            return current == null;
        }

        @Override
        public String toString() {
            return "Absent[" + KeyOrder.display(key) + "]";
        }
    }

    /** The key has any value. */
    record Exists(byte[] key) implements Condition {
        @Override
        public boolean holds(byte @Nullable [] current) {
            return current != null;
        }

        @Override
        public String toString() {
            return "Exists[" + KeyOrder.display(key) + "]";
        }
    }

    /** The key has exactly this value. */
    record ValueIs(byte[] key, byte[] expected) implements Condition {
        @Override
        public boolean holds(byte @Nullable [] current) {
            return current != null && Arrays.equals(current, expected);
        }

        @Override
        public String toString() {
            return "ValueIs[" + KeyOrder.display(key) + ", " + KeyOrder.display(expected) + "]";
        }
    }

    /** The key has a value with this {@link ValueTag}. */
    record TagIs(byte[] key, long tag) implements Condition {
        @Override
        public boolean holds(byte @Nullable [] current) {
            return current != null && ValueTag.of(current) == tag;
        }

        @Override
        public String toString() {
            return "TagIs[" + KeyOrder.display(key) + ", " + Long.toHexString(tag) + "]";
        }
    }
}
