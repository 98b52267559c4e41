package io.kvstore.cli.console;

/** The exit statuses of all commands. Scripts rely on them. */
public final class ExitStatus {

    public static final int OK = 0;

    /** Something failed, or is not as it should be. */
    public static final int ERROR = 1;

    /** The command line asks for something that cannot be. */
    public static final int USAGE = 2;

    /** A file, database, table or key that was named is not there. */
    public static final int NOT_FOUND = 3;

    /** A condition does not hold, or something is there that the command must not replace. */
    public static final int CONDITION_FAILED = 4;

    /** Something is busy, or is not there for now; the command may be tried again. */
    public static final int UNAVAILABLE = 5;

    /** A person pressed Ctrl-C. Shells have this status for it, too. */
    public static final int INTERRUPTED = 130;

    private ExitStatus() {}
}
