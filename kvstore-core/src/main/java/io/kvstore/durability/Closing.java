package io.kvstore.durability;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Steps that are all to be done, whatever becomes of each: closing, and work on one table after the other. {@link #close}
 * throws the first failure; the others are suppressed in it.
 */
final class Closing implements AutoCloseable {

    private @Nullable Throwable first;

    /** A step. */
    @FunctionalInterface
    interface Step {
        /** Does it. */
        void run() throws IOException;
    }

    /** Does a step; whatever it throws is kept. */
    void attempt(Step step) {
        try {
            step.run();
        } catch (Throwable e) {
            note(e);
        }
    }

    /** A step that was done elsewhere has failed. */
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
            // the first one says enough
        }
    }

    /** Throws the first failure, as it is or, if it is no I/O error, as the cause of one. */
    @Override
    public void close() throws IOException {
        switch (first) {
            case null -> {
                // every step did well
            }
            case IOException e -> throw e;
            case Throwable e -> throw new IOException("not every step could be done: " + e, e);
        }
    }
}
