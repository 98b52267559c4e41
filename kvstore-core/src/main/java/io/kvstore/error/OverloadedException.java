package io.kvstore.error;

import org.jspecify.annotations.Nullable;

/** No room for the write within {@code stallTimeoutMillis}, or no memory. The store recovers by itself, so try again later. */
public final class OverloadedException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public OverloadedException(String message) {
        this(message, null);
    }

    public OverloadedException(String message, @Nullable Throwable cause) {
        super(Outcome.REJECTED, message, cause);
    }
}
