package io.kvstore.error;

import org.jspecify.annotations.Nullable;

/** A name, key, value, range or option is not legal. The message names the field, the limit and the given value. */
public final class InvalidRequestException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public InvalidRequestException(String message) {
        super(Outcome.REJECTED, message, null);
    }

    public InvalidRequestException(String message, @Nullable Throwable cause) {
        super(Outcome.REJECTED, message, cause);
    }
}
