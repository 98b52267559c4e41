package io.kvstore.io;

/** A file could not be opened, made or mapped. The most frequent cause is that the process has no descriptor left. */
public final class NotOpenedException extends RefusedException {

    private static final long serialVersionUID = 1L;

    public NotOpenedException(String message, Throwable cause) {
        super(message, cause);
    }
}
