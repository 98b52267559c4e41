package io.kvstore.error;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * How the store tells people something: the only place that calls {@link System.Logger}.
 *
 * <p>Invariant: nothing is thrown, whatever the host's logger, handler, filter or formatter does. So a notice may stand where
 * something has to be done after it, such as giving back a lock, waking a thread or going on with a repeated task. What
 * cannot be told is dropped: a logger that fails has nobody to tell it to.
 *
 * <p>The parts of a text come apart, so that a caller that has no memory left need not put them together.
 */
public final class Notices {

    private Notices() {}

    /** Has what a logger needs loaded while there are files and memory for it. */
    public static void prepare() {
        try {
            boolean _ = System.getLogger(Notices.class.getName()).isLoggable(Level.TRACE);
        } catch (Throwable dropped) {
            // then it is no use later either
        }
    }

    /**
     * Something failed that somebody has to see to.
     *
     * @param source the class that tells it; the logger has its name
     * @param where the file, directory or table that it is about, or null
     * @param what what happened
     * @param cause why, or null
     */
    public static void error(Class<?> source, @Nullable String where, String what, @Nullable Throwable cause) {
        tell(Level.ERROR, source, where, what, cause);
    }

    /** Something failed, and the store goes on or tries again; see {@link #error}. */
    public static void warning(Class<?> source, @Nullable String where, String what, @Nullable Throwable cause) {
        tell(Level.WARNING, source, where, what, cause);
    }

    /** Something worth knowing; see {@link #error}. */
    public static void info(Class<?> source, @Nullable String where, String what, @Nullable Throwable cause) {
        tell(Level.INFO, source, where, what, cause);
    }

    /** Something for who looks for a defect; see {@link #error}. */
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
            // there is nobody else to tell, and whoever calls has more to do
        }
    }
}
