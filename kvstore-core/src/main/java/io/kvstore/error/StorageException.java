package io.kvstore.error;

import org.jspecify.annotations.Nullable;

/** An I/O operation failed without touching acknowledged data. The operation was not applied. */
public final class StorageException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public StorageException(String message, @Nullable Throwable cause) {
        super(Outcome.FAILED, message, cause);
    }
}
