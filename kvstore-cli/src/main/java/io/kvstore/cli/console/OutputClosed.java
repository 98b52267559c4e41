package io.kvstore.cli.console;

/** The reader of standard output has enough, as {@code head} has after a few lines. The command ends without a word. */
final class OutputClosed extends RuntimeException {

    private static final long serialVersionUID = 1L;

    OutputClosed() {
        super("the reader of standard output has gone", null, false, false);
    }
}
