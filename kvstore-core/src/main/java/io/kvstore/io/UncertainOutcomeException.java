package io.kvstore.io;

import java.io.IOException;

/**
 * A sync, or a step that makes files count, failed, and nobody knows what is on the disk. It is final: nothing is tried again
 * before the table is opened anew.
 */
public final class UncertainOutcomeException extends IOException {

    private static final long serialVersionUID = 1L;

    /** Says which step failed. */
    public UncertainOutcomeException(String message, Throwable cause) {
        super(message, cause);
    }
}
