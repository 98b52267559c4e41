package io.kvstore.error;

/** The outcome of an operation that ended with an error. Every {@link KVStoreException} names one. */
public enum Outcome {
    /** The operation was not tried. Nothing has changed, and the operation may be repeated once the cause is removed. */
    REJECTED,
    /** The operation was tried and not applied. Nothing has changed. */
    FAILED,
    /** The operation may or may not have been applied. Read the data back; if the store failed, after it was reopened. */
    UNKNOWN
}
