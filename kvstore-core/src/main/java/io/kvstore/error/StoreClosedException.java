package io.kvstore.error;

/** The store was closed before this call began, or while a long call was under way that closing ends. */
public final class StoreClosedException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public StoreClosedException(String message) {
        super(Outcome.REJECTED, message, null);
    }
}
