package io.kvstore.durability;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps that are all to be done even if one fails: closing, and work on one table after the other. {@link #close} throws
 * the first failure, with the others as suppressed ones.
 */
final class Closing implements AutoCloseable {

    private @Nullable Throwable first;

    /** A step. */
    @FunctionalInterface
    interface Step {
        /** Does the step. */
        void run() throws IOException;
    }

    /** Does a step, and keeps anything that it throws. */
    void attempt(Step step) {
        try {
            step.run();
        } catch (Throwable e) {
            note(e);
        }
    }

    /** Notes the failure of a step that was done elsewhere. */
    void note(Throwable failure) {
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
            case Throwable e -> throw new IOException("not every step could be done: " + e, e);
        }
    }
}
