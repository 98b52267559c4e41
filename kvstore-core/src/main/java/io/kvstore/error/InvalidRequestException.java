package io.kvstore.error;

/** A name, key, value, range or option is not legal; the message names the field, the limit and what was given. */
public final class InvalidRequestException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public InvalidRequestException(String message) {
        super(Outcome.REJECTED, message, null);
    }
}
