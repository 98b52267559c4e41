package io.kvstore.cli.shell;

import org.jspecify.annotations.Nullable;

/** Where a shell gets its lines from. For use by one thread. */
interface Lines extends AutoCloseable {

    /** The next line, or null at the end. */
    @Nullable
    String next(String prompt);

    /** A person has pressed Ctrl-C. Returns whether that ends the lines. If it does not, those that wait are given up. */
    boolean isEndedByInterrupt();

    /** Where the last line stands, for messages. */
    String place();

    @Override
    void close();
}
