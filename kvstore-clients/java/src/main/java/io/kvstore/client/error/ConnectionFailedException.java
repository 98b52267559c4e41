package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/** No connection could be made, or it broke in a call that changed nothing, or time ran out. */
public final class ConnectionFailedException extends KVClientException {

    private static final long serialVersionUID = 1L;

    ConnectionFailedException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
