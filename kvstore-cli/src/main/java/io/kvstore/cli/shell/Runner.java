package io.kvstore.cli.shell;

import picocli.CommandLine;

/** Runs commands as if each had been started alone, but in the session of the shell. */
public interface Runner {

    /** Runs a command; returns its exit status. A failure was told. */
    int run(String... arguments);

    /** All commands, for help and completion. */
    CommandLine all();
}
