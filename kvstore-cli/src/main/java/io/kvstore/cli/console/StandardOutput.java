package io.kvstore.cli.console;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Standard output, whose failures are told apart: a reader that went away is none, unless all of a thing is to be read. */
final class StandardOutput extends OutputStream {

    private final OutputStream out;
    private final @Nullable String thing;

    /** @param thing of which all is to be read, or null */
    StandardOutput(OutputStream out, @Nullable String thing) {
        this.out = out;
        this.thing = thing;
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

    private RuntimeException failure(IOException e) {
        String message = String.valueOf(e.getMessage());
        if (!message.toLowerCase(Locale.ROOT).contains("broken pipe")) {
            return new CommandFailure(ExitStatus.ERROR, "writing to standard output failed: " + message);
        }
        return thing == null
                ? new OutputClosed()
                : new CommandFailure(ExitStatus.ERROR, "the reader went away; the " + thing + " is not whole");
    }
}
