package io.kvstore.client.error;

import org.jspecify.annotations.Nullable;

/** The request, a URL, an option or a continuation is not valid. The message says how to correct it. */
public final class InvalidRequestException extends KVClientException {

    private static final long serialVersionUID = 1L;

    InvalidRequestException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
    }
}
