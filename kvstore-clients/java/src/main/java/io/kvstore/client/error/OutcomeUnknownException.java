package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/** The write may or may not have been applied. Read it back. */
public final class OutcomeUnknownException extends KVClientException {

    private static final long serialVersionUID = 1L;

    OutcomeUnknownException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
