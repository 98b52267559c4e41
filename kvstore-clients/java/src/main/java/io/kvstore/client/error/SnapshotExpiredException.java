package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/** The snapshot was closed, its lease ran out, or its connection ended. */
public final class SnapshotExpiredException extends KVClientException {

    private static final long serialVersionUID = 1L;

    SnapshotExpiredException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
