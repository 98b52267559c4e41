package io.kvstore.io;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/** A file could not be opened, made or mapped. The most frequent cause is that the process has no descriptor left. */
public final class NotOpenedException extends RefusedException {

    private static final long serialVersionUID = 1L;

    public NotOpenedException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Throws a failure that comes from the process, which has no descriptor left or was interrupted. It says nothing of the
     * disk.
     */
    public static void requireOfDisk(IOException failure) throws IOException {
        boolean isOfProcess = failure instanceof ClosedByInterruptException
                || (failure instanceof NotOpenedException && Failures.isOfProcess(failure));
        if (isOfProcess) {
            throw failure;
        }
    }
}
