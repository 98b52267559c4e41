package io.kvstore.cli.rescue;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.engine.Progress;
import picocli.CommandLine.Option;

/** Whether a long command shows how far it is. */
final class Quietness {

    @Option(names = "--quiet", description = "Show no progress, and say nothing of what went well.")
    private boolean quiet;

    ProgressLine begin(Console console, String job) {
        ProgressLine progress = new ProgressLine(console, quiet);
        progress.begin(job, "byte");
        return progress;
    }

    /** For work in this process. Ctrl-C ends it. */
    static Progress told(ProgressLine progress) {
        return (done, total) -> {
            show(progress, done, total);
            return true;
        };
    }

    static void show(ProgressLine progress, long done, long total) {
        progress.at(done, total <= 0 ? ProgressLine.UNKNOWN : (double) done / total);
    }
}
