package io.kvstore.bplus;

import io.kvstore.engine.Epochs;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.ByteReader;
import io.kvstore.value.ValuePointer;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Follows pointers from leaves to values. */
final class ValueReader {

    /** Whoever finds so many old pointers in a row, one after the other, looks at a tree that is wrong. */
    private static final int MAX_ATTEMPTS = 10_000;

    private final ValueStore values;
    private final Epochs epochs;
    private final String file;

    /** @param file where the pointers are */
    ValueReader(ValueStore values, Epochs epochs, String file) {
        this.values = values;
        this.epochs = epochs;
        this.file = file;
    }

    /**
     * The value that a pointer leads to; null if the pointer is an old one, because the value was moved, replaced or removed
     * after it was read, and what it led to is gone.
     *
     * @param attempt how many times null was returned before
     */
    byte @Nullable [] read(byte[] key, byte[] payload, int attempt) throws IOException {
        ValuePointer pointer = ValuePointer.read(new ByteReader(file, payload));
        int ticket = epochs.enter();
        try {
            byte[] value = values.read(pointer, key);
            if (value == null && attempt >= MAX_ATTEMPTS) {
                throw new CorruptionException(file, -1, "points to " + pointer + ", which is not there");
            }
            return value;
        } finally {
            epochs.exit(ticket);
        }
    }

    /** The value that a pointer of a state that is kept leads to. */
    byte[] readKept(byte[] key, byte[] payload) throws IOException {
        byte[] value = read(key, payload, MAX_ATTEMPTS);
        if (value == null) {
            throw new IllegalStateException("a missing value was not reported");
        }
        return value;
    }
}
