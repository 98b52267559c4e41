package io.kvstore.error;

/** The store could not take the write within {@code stallTimeoutMillis}; it recovers by itself, so try again later. */
public final class OverloadedException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public OverloadedException(String message) {
        super(Outcome.REJECTED, message, null);
    }
}
