package io.kvstore.io;

import java.io.IOException;

/** A sync, or a step that makes files count, failed: the disk's content is unknown. Final until the table is opened anew. */
public final class UncertainOutcomeException extends IOException {

    private static final long serialVersionUID = 1L;

    public UncertainOutcomeException(String message, Throwable cause) {
        super(message, cause);
    }
}
