package io.kvstore.cli.console;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Standard output, whose failures are told apart: a reader that went away is none, unless all of a thing is to be read. */
final class StandardOutput extends OutputStream {

    private final OutputStream out;
    private final @Nullable String thing;
    private final Runnable whenReaderIsGone;

    /**
     * @param thing of which all is to be read, or null
     * @param whenReaderIsGone is told if the reader went away
     */
    StandardOutput(OutputStream out, @Nullable String thing, Runnable whenReaderIsGone) {
        this.out = out;
        this.thing = thing;
        this.whenReaderIsGone = whenReaderIsGone;
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
        if (!BrokenPipe.is(e)) {
            return new CommandFailure(ExitStatus.ERROR, "writing to standard output failed: " + e.getMessage());
        }
        whenReaderIsGone.run();
        return thing == null
                ? new OutputClosed()
                : new CommandFailure(ExitStatus.ERROR, "the reader went away; the " + thing + " is not whole");
    }
}
