package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/** Stored bytes of a table are damaged. Other tables go on. */
public final class CorruptionException extends KVClientException {

    private static final long serialVersionUID = 1L;

    CorruptionException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
