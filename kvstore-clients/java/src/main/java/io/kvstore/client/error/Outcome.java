package io.kvstore.client.error;

/** What became of the call that an error ended. */
public enum Outcome {
    /** It was not tried: nothing has changed. */
    REJECTED,
    /** It was tried and not applied: nothing has changed. */
    FAILED,
    /** It may or may not have been applied. */
    UNKNOWN
}
