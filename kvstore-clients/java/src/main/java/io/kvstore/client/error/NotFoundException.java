package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/** There is no such database, table or operation. A key without a value is no error. */
public final class NotFoundException extends KVClientException {

    private static final long serialVersionUID = 1L;

    NotFoundException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
