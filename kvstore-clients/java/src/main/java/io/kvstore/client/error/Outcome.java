package io.kvstore.client.error;

/** Whether a call that ended with an error was applied. */
public enum Outcome {
    /** The call was not tried. Nothing has changed. */
    REJECTED,
    /** The call was tried and not applied. Nothing has changed. */
    FAILED,
    /** The call may or may not have been applied. */
    UNKNOWN
}
