package io.kvstore.error;

/** The table behind this handle was dropped. A new table of the same name is another table. */
public final class TableDroppedException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    public TableDroppedException(String message) {
        super(Outcome.REJECTED, message, null);
    }
}
