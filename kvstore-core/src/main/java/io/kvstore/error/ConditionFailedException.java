package io.kvstore.error;

/** A condition of a batch did not hold. No change of the batch was applied. */
public final class ConditionFailedException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    private final int index;

    /** @param index position of the failed condition among the conditions of the batch, from 0 */
    public ConditionFailedException(int index, String message) {
        super(Outcome.FAILED, message, null);
        this.index = index;
    }

    /** Position of the failed condition among the conditions of the batch, from 0. */
    public int index() {
        return index;
    }
}
