package io.kvstore.cli.console;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;

/** Standard output, whose failures are told apart: a reader that went away is none. */
final class StandardOutput extends OutputStream {

    private final OutputStream out;

    StandardOutput(OutputStream out) {
        this.out = out;
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    @Override
    public void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /** Standard output stays open: a command that writes to it is not its owner. */
    @Override
    public void close() {
        flush();
    }

    private static RuntimeException failure(IOException e) {
        String message = String.valueOf(e.getMessage());
        return message.toLowerCase(Locale.ROOT).contains("broken pipe")
                ? new OutputClosed()
                : new CommandFailure(ExitStatus.ERROR, "writing to standard output failed: " + message);
    }
}
