package io.kvstore.error;

import org.jspecify.annotations.Nullable;

/** The disk has no room for the write. The write was not applied. Reads go on, and writes resume once room is freed. */
public final class DiskFullException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public DiskFullException(String message, @Nullable Throwable cause) {
        super(Outcome.FAILED, message, cause);
    }
}
