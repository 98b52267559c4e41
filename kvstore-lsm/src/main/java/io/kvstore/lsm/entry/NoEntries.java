package io.kvstore.lsm.entry;

import io.kvstore.value.segment.ValuePointer;
import org.jspecify.annotations.Nullable;

/** A cursor without entries. */
public enum NoEntries implements EntryCursor {
    NONE;

    @Override
    public boolean seek(byte @Nullable [] bound, boolean inclusive) {
        return false;
    }

    @Override
    public boolean advance() {
        return false;
    }

    @Override
    public KeyBuffer key() {
        throw noEntry();
    }

    @Override
    public long lsn() {
        throw noEntry();
    }

    @Override
    public int kind() {
        throw noEntry();
    }

    @Override
    public ValuePointer pointer() {
        throw noEntry();
    }

    @Override
    public byte[] valueArray() {
        throw noEntry();
    }

    @Override
    public int valueOffset() {
        throw noEntry();
    }

    @Override
    public int valueLength() {
        throw noEntry();
    }

    private static IllegalStateException noEntry() {
        return new IllegalStateException("there is no entry");
    }
}
