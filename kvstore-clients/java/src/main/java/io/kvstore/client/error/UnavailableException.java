package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/** The server is overloaded or stopping, its disk is full, or its store failed. */
public final class UnavailableException extends KVClientException {

    private static final long serialVersionUID = 1L;

    UnavailableException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
