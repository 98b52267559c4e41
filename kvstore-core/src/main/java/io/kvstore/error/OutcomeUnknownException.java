package io.kvstore.error;

import org.jspecify.annotations.Nullable;

/**
 * The store failed while this write was under way. The write may or may not be there when the store is opened again. Or the
 * write was made, and its answer cannot be given; then the message says so.
 */
public final class OutcomeUnknownException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public OutcomeUnknownException(String message, @Nullable Throwable cause) {
        super(Outcome.UNKNOWN, message, cause);
    }
}
