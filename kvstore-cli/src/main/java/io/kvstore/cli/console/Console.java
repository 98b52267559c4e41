package io.kvstore.cli.console;

import java.io.FileInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;

/** The streams of a command, and whether each is a terminal. For use by one thread. */
public final class Console {

    private final InputStream in;
    private final OutputStream rawOut;
    private final StandardOutput out;
    private final PrintStream errors;
    private final Terminals terminals;
    private final LongSupplier nanos;
    private final Interruption interruption = new Interruption();
    private boolean isReaderGone;

    /** Which streams a person sees or writes. */
    public record Terminals(boolean in, boolean out, boolean errors) {}

    /** @param nanos the clock */
    public Console(InputStream in, OutputStream out, OutputStream errors, Terminals terminals, LongSupplier nanos) {
        this.in = in;
        this.rawOut = out;
        this.errors = new PrintStream(errors, true, StandardCharsets.UTF_8);
        this.terminals = terminals;
        this.nanos = nanos;
        this.out = new StandardOutput(out, null, this::setReaderGone);
    }

    public InputStream in() {
        return in;
    }

    /** Whether the streams are those of the process, and not of a test. */
    public boolean isOfProcess() {
        return in instanceof FileInputStream;
    }

    /** Standard output, without a buffer. */
    public OutputStream out() {
        return out;
    }

    /**
     * As {@link #out}, for a thing of which a part is worth nothing: a reader that goes away is a failure.
     *
     * @param thing for people
     */
    public OutputStream outToKeep(String thing) {
        return new StandardOutput(rawOut, thing, this::setReaderGone);
    }

    private void setReaderGone() {
        isReaderGone = true;
    }

    /** Whether the reader of standard output went away. Then nobody sees later output. */
    public boolean isReaderGone() {
        return isReaderGone;
    }

    public Terminals terminals() {
        return terminals;
    }

    /** Whether a person has asked for the end of the command. */
    public Interruption interruption() {
        return interruption;
    }

    /** The nanoseconds of a clock that only goes forward. */
    public long nanos() {
        return nanos.getAsLong();
    }

    /** Writes lines to standard output, and shows each character as it can be shown. */
    public void print(String lines) {
        byte[] bytes = Printable.lines(lines).getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
    }

    /** Tells something on standard error that is no failure. */
    public void tell(String line) {
        errors.println(Printable.line(line));
    }

    /** Tells of a failure. */
    public void fail(String line) {
        tell("kvstore: " + line);
    }

    /** Writes to standard error as it is. */
    public void raw(String text) {
        errors.print(text);
        errors.flush();
    }
}
