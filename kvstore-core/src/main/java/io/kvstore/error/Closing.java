package io.kvstore.error;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps that are all to be done even if one fails: closing, and work on one thing after the other. {@link #close} throws
 * the first failure, with the others as suppressed ones. For one thread.
 */
public final class Closing implements AutoCloseable {

    private final String failed;
    private @Nullable Throwable first;

    /** @param failed says what failed; the message for a first failure that is no I/O error */
    public Closing(String failed) {
        this.failed = failed;
    }

    /**
     * Closes a resource that could not be opened as a whole. A failure of the close is logged only, because the failure to open
     * the resource is thrown.
     */
    public static void giveUp(AutoCloseable begun, Class<?> source, String where) {
        try {
            begun.close();
        } catch (Throwable e) {
            Notices.warning(source, where, "it could not be closed after it could not be opened", e);
        }
    }

    /** Does a step, such as closing a resource, and keeps anything that it throws. Takes no memory unless the step does. */
    public void attempt(AutoCloseable step) {
        try {
            step.close();
        } catch (Throwable e) {
            note(e);
        }
    }

    /** Notes the failure of a step that was done elsewhere. */
    public void note(Throwable failure) {
        Throwable known = first;
        if (known == null) {
            first = failure;
        } else if (!known.equals(failure)) {
            suppress(known, failure);
        }
    }

    private static void suppress(Throwable known, Throwable failure) {
        try {
            known.addSuppressed(failure);
        } catch (OutOfMemoryError e) {
            // the first failure says enough
        }
    }

    /** Throws the first failure. A failure that is no I/O error is thrown as the cause of one. */
    @Override
    public void close() throws IOException {
        switch (first) {
            case null -> {
                // every step succeeded
            }
            case IOException e -> throw e;
            case Throwable e -> throw new IOException(failed + ": " + e, e);
        }
    }
}
