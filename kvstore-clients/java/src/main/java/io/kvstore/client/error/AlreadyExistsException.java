package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/** A table of that name exists with another definition. */
public final class AlreadyExistsException extends KVClientException {

    private static final long serialVersionUID = 1L;

    AlreadyExistsException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
