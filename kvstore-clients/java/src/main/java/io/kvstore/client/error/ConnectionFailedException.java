package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/**
 * No connection could be made, a connection broke in a call that changed nothing, the time of such a call was over, or the
 * client is closed.
 */
public final class ConnectionFailedException extends KVClientException {

    private static final long serialVersionUID = 1L;

    ConnectionFailedException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
