package io.kvstore.error;

/** A database or table of that name exists already, or a database that is to be dropped still has tables. */
public final class AlreadyExistsException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public AlreadyExistsException(String message) {
        super(Outcome.REJECTED, message, null);
    }
}
