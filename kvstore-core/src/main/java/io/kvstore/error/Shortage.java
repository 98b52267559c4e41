package io.kvstore.error;

/**
 * Whether something was thrown because memory or stack was short, which passes: what was begun can be tried again.
 *
 * <p>When a heap is full the virtual machine throws one {@link OutOfMemoryError} again and again. If what a {@code try} has
 * opened cannot be closed then for the same reason, the error is to be suppressed in itself, and an {@link
 * IllegalArgumentException} comes out that has it as its cause.
 */
public final class Shortage {

    private Shortage() {}

    /** Takes no memory. */
    public static boolean isCauseOf(Throwable thrown) {
        Throwable first =
                thrown instanceof IllegalArgumentException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return first instanceof OutOfMemoryError || first instanceof StackOverflowError;
    }
}
