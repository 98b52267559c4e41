package io.kvstore.data;

/**
 * One change of one key. The key is an array that no other code has. So is a value of at most {@link #COPIED_VALUE_BYTES} in a
 * table with a log. Any other value is not copied, and may change during the write by a mistake of its owner. So an engine does
 * not keep a value's array, and reads it only once.
 */
public sealed interface Mutation extends Change {

    /** Values up to this length are copied before they are written. The copy takes less time than the rest of a write. */
    int COPIED_VALUE_BYTES = 1 << 10;

    /** Sets the value of a key, whether it exists or not. */
    record Put(byte[] key, byte[] value) implements Mutation {

        @Override
        public String toString() {
            return "Put[" + KeyOrder.display(key) + ", " + value.length + " bytes]";
        }
    }

    /** Removes a key, whether it exists or not. */
    record Remove(byte[] key) implements Mutation {

        @Override
        public String toString() {
            return "Remove[" + KeyOrder.display(key) + "]";
        }
    }
}
