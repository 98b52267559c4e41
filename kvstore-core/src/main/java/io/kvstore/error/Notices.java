package io.kvstore.error;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Writes notices for people to the host's log. This is the only place that calls {@link System.Logger}.
 *
 * <p>Invariant: nothing is thrown, whatever the host's logger, handler, filter or formatter does. So a notice may stand before
 * work that must be done, such as giving back a lock, waking a thread or going on with a repeated task. A notice that cannot be
 * logged is dropped: there is no other place to report it.
 *
 * <p>The parts of a text are separate parameters, so that a caller that has no memory left does not have to join them.
 */
public final class Notices {

    private Notices() {}

    /** Loads the classes and files that a logger needs, while descriptors and memory for them are left. */
    public static void prepare() {
        try {
            boolean _ = System.getLogger(Notices.class.getName()).isLoggable(Level.TRACE);
        } catch (Throwable dropped) {
            // then the logger is of no use later either
        }
    }

    /**
     * Reports a failure that needs attention.
     *
     * @param source the class that reports; the logger has its name
     * @param where the file, directory or table that the notice is about, or null
     * @param what the event
     * @param cause the cause, or null
     */
    public static void error(Class<?> source, @Nullable String where, String what, @Nullable Throwable cause) {
        tell(Level.ERROR, source, where, what, cause);
    }

    /** Reports a failure after which the store goes on or tries again. Parameters as for {@link #error}. */
    public static void warning(Class<?> source, @Nullable String where, String what, @Nullable Throwable cause) {
        tell(Level.WARNING, source, where, what, cause);
    }

    /** Reports an event that is worth knowing. Parameters as for {@link #error}. */
    public static void info(Class<?> source, @Nullable String where, String what, @Nullable Throwable cause) {
        tell(Level.INFO, source, where, what, cause);
    }

    /** Reports a detail for the search for a defect. Parameters as for {@link #error}. */
    public static void debug(Class<?> source, @Nullable String where, String what, @Nullable Throwable cause) {
        tell(Level.DEBUG, source, where, what, cause);
    }

    private static void tell(
            Level level, Class<?> source, @Nullable String where, String what, @Nullable Throwable cause) {
        try {
            System.Logger logger = System.getLogger(source.getName());
            if (logger.isLoggable(level)) {
                logger.log(level, where == null ? what : where + ": " + what, cause);
            }
        } catch (Throwable dropped) {
            // there is no other place to report it, and the caller has more to do
        }
    }
}
