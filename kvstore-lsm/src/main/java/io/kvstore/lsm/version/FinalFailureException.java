package io.kvstore.lsm.version;

import java.io.IOException;

/** A sync, or a step whose outcome is not known, failed: the table must be opened again. */
public final class FinalFailureException extends IOException {

    private static final long serialVersionUID = 1L;

    public FinalFailureException(String message, IOException cause) {
        super(message, cause);
    }
}
