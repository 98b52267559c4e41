package io.kvstore.cli.console;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The text that is read: a file, or standard input. It counts the bytes that were read. */
public final class Input extends FilterInputStream {

    private static final String STANDARD_INPUT = "-";

    private final String name;
    private final boolean isFile;
    private final long size;
    private long taken;

    private Input(InputStream in, String name, boolean isFile, long size) {
        super(in);
        this.name = name;
        this.isFile = isFile;
        this.size = size;
    }

    /**
     * Opens a file; - is standard input.
     *
     * @param what it has, such as {@code rows}
     */
    public static Input open(String given, String what, Console console) throws IOException {
        if (given.equals(STANDARD_INPUT)) {
            if (console.terminals().in()) {
                console.tell("kvstore: reads " + what + " from the terminal; Ctrl-D on a line of its own ends them");
            }
            return new Input(console.in(), "standard input", false, 0);
        }
        Path file = Path.of(given);
        if (!Files.exists(file)) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND, file + " is not there; give a file of " + what + ", or - for standard input");
        }
        if (Files.isDirectory(file)) {
            throw new CommandFailure(ExitStatus.ERROR, file + " is a directory; give a file of " + what);
        }
        return new Input(Files.newInputStream(file), given, true, Files.size(file));
    }

    /** The name for messages. */
    public String name() {
        return name;
    }

    /** How much of all was read. */
    public double part() {
        return size > 0 ? (double) taken / size : ProgressLine.UNKNOWN;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count;
        try {
            count = super.read(bytes, offset, length);
        } catch (IOException e) { // whose text does not name the input
            throw new IOException("reading " + name + " failed: " + Failures.message(e), e);
        }
        taken += Math.max(count, 0);
        return count;
    }

    /** Standard input stays open: a command that reads it is not its owner. */
    @Override
    public void close() throws IOException {
        if (isFile) {
            super.close();
        }
    }
}
