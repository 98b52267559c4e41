package io.kvstore.cli.rows;

/** A row that is not as it should be. */
public sealed class BadRowException extends RuntimeException permits TooLongException {

    private static final long serialVersionUID = 1L;

    private final long line;

    /**
     * @param line where the row begins; the first line of the text is 1
     * @param message the mistake, and the remedy
     */
    BadRowException(long line, String message) {
        super(message, null, false, false);
        this.line = line;
    }

    public long line() {
        return line;
    }
}
