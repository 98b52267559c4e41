package io.kvstore.error;

/** A database or table of that name does not exist. */
public final class NotFoundException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public NotFoundException(String message) {
        super(Outcome.REJECTED, message, null);
    }
}
