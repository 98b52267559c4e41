package io.kvstore.cli.console;

/** Ends a command with an exit status and one line on standard error. */
public final class CommandFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    /** @param message names the thing, its fault and the remedy */
    public CommandFailure(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    /** The exit status. */
    public int status() {
        return status;
    }
}
