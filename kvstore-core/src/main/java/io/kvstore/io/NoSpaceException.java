package io.kvstore.io;

import java.io.IOException;

/** The disk or a quota is full. */
public final class NoSpaceException extends IOException {

    private static final long serialVersionUID = 1L;

    public NoSpaceException(String message, Throwable cause) {
        super(message, cause);
    }

    public NoSpaceException(String message) {
        super(message);
    }
}
