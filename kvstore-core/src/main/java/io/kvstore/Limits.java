package io.kvstore;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.Mutation;
import io.kvstore.durability.OpenTable;
import io.kvstore.error.InvalidRequestException;

/** What a key and a value may be. */
final class Limits {

    private Limits() {}

    static byte[] key(byte[] key) {
        if (key == null) {
            throw new InvalidRequestException("the key is null; the empty key is a byte array of length 0");
        }
        if (key.length > KeyOrder.MAX_KEY_BYTES) {
            throw new InvalidRequestException("the key " + KeyOrder.display(key) + " has " + key.length
                    + " bytes; a key has at most " + KeyOrder.MAX_KEY_BYTES);
        }
        return key;
    }

    static byte[] value(OpenTable table, byte[] value) {
        if (value == null) {
            throw new InvalidRequestException("the value is null; remove the key, or store an empty array");
        }
        if (value.length > table.maxValueBytes()) {
            throw new InvalidRequestException("the value has " + value.length + " bytes; table " + table.name()
                    + " takes at most " + table.maxValueBytes()
                    + " (MAX_VALUE_BYTES of the table, maxValueBytes of the store)");
        }
        return value;
    }

    /** A put whose owner may do what he likes with the arrays as soon as this returns, unless the value is a long one. */
    static Mutation.Put put(byte[] key, byte[] value) {
        return new Mutation.Put(key.clone(), value.length <= Mutation.COPIED_VALUE_BYTES ? value.clone() : value);
    }

    /** A removal that does not refer to the array. */
    static Mutation.Remove remove(byte[] key) {
        return new Mutation.Remove(key.clone());
    }

    static byte[] expected(byte[] value) {
        if (value == null) {
            throw new InvalidRequestException("the expected value is null; use putIfAbsent for a key without a value");
        }
        return value;
    }
}
