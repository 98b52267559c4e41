package io.kvstore.io;

/** The disk or a quota is full. */
public final class NoSpaceException extends RefusedException {

    private static final long serialVersionUID = 1L;

    public NoSpaceException(String message, Throwable cause) {
        super(message, cause);
    }

    public NoSpaceException(String message) {
        super(message);
    }
}
