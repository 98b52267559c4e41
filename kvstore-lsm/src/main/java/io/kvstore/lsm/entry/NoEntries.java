package io.kvstore.lsm.entry;

import org.jspecify.annotations.Nullable;

/** A cursor without entries. */
public enum NoEntries implements RelayCursor {
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
    public EntryCursor source() {
        throw new IllegalStateException("there is no entry");
    }
}
