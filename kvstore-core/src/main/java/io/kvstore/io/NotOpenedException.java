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
     * Whether a failure comes from the process, which has no descriptor left or was interrupted. It says nothing of the disk,
     * so it is no damage.
     */
    public static boolean isOfProcess(IOException failure) {
        return failure instanceof ClosedByInterruptException
                || (failure instanceof NotOpenedException && Failures.isOfProcess(failure));
    }

    /** Throws a failure that {@linkplain #isOfProcess comes from the process}. */
    public static void requireOfDisk(IOException failure) throws IOException {
        if (isOfProcess(failure)) {
            throw failure;
        }
    }
}
