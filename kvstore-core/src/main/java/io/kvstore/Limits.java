package io.kvstore;

import io.kvstore.data.Change;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.Merge;
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

    /** The value of an entry of a table file, whose length the format limits. */
    static byte[] fileValue(byte[] value) {
        if (value == null) {
            throw new InvalidRequestException("the value is null; leave the key out, or give an empty array");
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

    /** A merge with a copy of the key. The other array is read before the call returns, and not kept. */
    static Merge merge(Merge merge) {
        if (merge == null) {
            throw new InvalidRequestException("the merge is null");
        }
        byte[] key = key(merge.key()).clone();
        return switch (merge) {
            case Merge.Add add -> new Merge.Add(key, add.delta());
            case Merge.Append append -> new Merge.Append(key, part("suffix", append.suffix()));
            case Merge.Patch patch -> new Merge.Patch(key, patch.offset(), part("part", patch.bytes()));
        };
    }

    private static byte[] part(String name, byte[] bytes) {
        if (bytes == null) {
            throw new InvalidRequestException("the " + name + " is null; give an empty array for no bytes");
        }
        return bytes;
    }

    /** A change of a batch, with a copy of its key. */
    static Change change(OpenTable table, Change change) {
        return switch (change) {
            case Mutation.Put put -> put(table, put.key(), put.value());
            case Mutation.Remove remove -> remove(key(remove.key()));
            case Merge merge -> merge(merge);
        };
    }

    /** The bytes of key and value that a change brings with it. */
    static long bytes(Change change) {
        long rest = switch (change) {
            case Mutation.Put put -> put.value().length;
            case Mutation.Remove _ -> 0;
            case Merge.Add _ -> 0;
            case Merge.Append append -> append.suffix().length;
            case Merge.Patch patch -> patch.bytes().length;
        };
        return change.key().length + rest;
    }

    static byte[] expected(byte[] value) {
        if (value == null) {
            throw new InvalidRequestException("the expected value is null; use putIfAbsent for a key without a value");
        }
        return value;
    }
}
