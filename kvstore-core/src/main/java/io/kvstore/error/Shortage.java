package io.kvstore.error;

/**
 * Tells whether an exception or error was thrown because memory or stack was short. Such a shortage passes: the work can be
 * tried again.
 *
 * <p>When a heap is full, the virtual machine throws the same {@link OutOfMemoryError} object again and again. If a {@code try}
 * cannot close its resource then for the same reason, it tries to suppress the error in itself. This throws an
 * {@link IllegalArgumentException}, which has the error as its cause.
 */
public final class Shortage {

    private Shortage() {}

    /** Whether such a shortage is the cause of {@code thrown}. Takes no memory. */
    public static boolean isCauseOf(Throwable thrown) {
        Throwable first =
                thrown instanceof IllegalArgumentException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return first instanceof OutOfMemoryError || first instanceof StackOverflowError;
    }
}
