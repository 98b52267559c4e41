package io.kvstore.cli.rows;

/** A row that is longer than a {@link LineLimit}. It may be as it should be. */
public final class TooLongException extends BadRowException {

    private static final long serialVersionUID = 1L;

    TooLongException(long line, String message) {
        super(line, message);
    }
}
