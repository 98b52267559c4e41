package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/** The table was dropped or truncated while the call, the scan or the snapshot needed it. */
public final class TableDroppedException extends KVClientException {

    private static final long serialVersionUID = 1L;

    TableDroppedException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
