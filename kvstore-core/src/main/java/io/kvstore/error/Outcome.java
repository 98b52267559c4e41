package io.kvstore.error;

/** What became of the operation that an error ended. Every {@link KVStoreException} names one. */
public enum Outcome {
    /** The operation was not tried: nothing has changed, and it may be repeated once the cause is removed. */
    REJECTED,
    /** The operation was tried and not applied: nothing has changed. */
    FAILED,
    /** The operation may or may not have been applied: read the data back after the store was reopened. */
    UNKNOWN
}
