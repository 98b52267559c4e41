package io.kvstore.bplus.file;

import java.io.IOException;

/** It is not known what is on disk; nothing may be tried again. */
public final class FinalFailureException extends IOException {

    private static final long serialVersionUID = 1;

    FinalFailureException(String message, Throwable cause) {
        super(message, cause);
    }
}
