package io.kvstore;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.Mutation;
import io.kvstore.durability.OpenTable;
import io.kvstore.error.InvalidRequestException;

/** The limits that keys and values must keep. */
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

    /**
     * A put with a copy of the key. If the table has a log, a short value is copied too. A long value is not copied. Without a
     * log no value is copied, because nobody reads it twice.
     */
    static Mutation.Put put(OpenTable table, byte[] key, byte[] value) {
        byte[] checked = value(table, value);
        boolean isCopied = table.isLogged() && checked.length <= Mutation.COPIED_VALUE_BYTES;
        return new Mutation.Put(key(key).clone(), isCopied ? checked.clone() : checked);
    }

    /** A removal with a copy of the key. */
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
