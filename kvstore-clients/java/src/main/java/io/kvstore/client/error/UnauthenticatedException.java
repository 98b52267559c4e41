package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/** The server wants a token, or does not know the token that the client has. */
public final class UnauthenticatedException extends KVClientException {

    private static final long serialVersionUID = 1L;

    UnauthenticatedException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
