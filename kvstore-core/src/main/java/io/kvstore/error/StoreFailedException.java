package io.kvstore.error;

import org.jspecify.annotations.Nullable;

/** The store stopped accepting work after an I/O failure that is final. Close the store and open it again to run recovery. */
public final class StoreFailedException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public StoreFailedException(String message, @Nullable Throwable cause) {
        super(Outcome.REJECTED, message, cause);
    }
}
