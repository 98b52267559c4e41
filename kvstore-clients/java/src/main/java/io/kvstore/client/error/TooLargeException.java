package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/** A key, value, list, request or answer is over a limit that the message names. */
public final class TooLargeException extends KVClientException {

    private static final long serialVersionUID = 1L;

    TooLargeException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
