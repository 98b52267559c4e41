package io.kvstore.cli.console;

import picocli.CommandLine.Option;

/** The option of a long command that has nobody to tell. */
public final class Quiet {

    @Option(names = "--quiet", description = "Show no progress, and do not say what was done.")
    private boolean quiet;

    /** Progress that is shown unless the option was given. */
    public ProgressLine progress(Console console) {
        return new ProgressLine(console, quiet);
    }

    public boolean isGiven() {
        return quiet;
    }
}
