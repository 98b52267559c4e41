package io.kvstore.cli.console;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Shows how far a long job is: on a terminal in one line with a bar, which is drawn again ten times a second, and elsewhere in
 * a line each ten seconds. For use by one thread, which calls it often.
 */
public final class ProgressLine implements AutoCloseable {

    /** How much is done where nobody knows how much there is. */
    public static final double UNKNOWN = -1;

    private static final long TERMINAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PLAIN_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int BAR_CHARS = 20;
    /** The terminal cuts a long line off. If it wrapped the line, each drawing would leave another line behind. */
    private static final String WITHOUT_WRAPPING = "\033[?7l";

    private static final String WITH_WRAPPING = "\033[?7h";
    private static final String BEGIN_OF_LINE = "\r";
    private static final String ERASE_REST = "\033[K";

    private final Console console;
    private final boolean isQuiet;
    private final boolean isTerminal;
    private final long start;
    private String job = "";
    private String noun = "";
    private long jobStart;
    private long due;
    private long expected;
    private boolean isShown;

    /** @param isQuiet whether to show nothing */
    public ProgressLine(Console console, boolean isQuiet) {
        this.console = console;
        this.isQuiet = isQuiet;
        this.isTerminal = console.terminals().errors();
        this.start = console.nanos();
        begin("", "");
    }

    /**
     * Begins another part of the job.
     *
     * @param newJob the work, such as {@code sorting}
     * @param newNoun the thing that is counted, such as {@code row}
     */
    public void begin(String newJob, String newNoun) {
        job = newJob;
        noun = newNoun;
        expected = 0;
        jobStart = console.nanos();
        due = jobStart + interval();
    }

    /** Tells how many things there are, estimated; 0 if nobody knows. It counts where {@link #at} knows no part. */
    public void expect(long about) {
        expected = about;
    }

    private long interval() {
        return isTerminal ? TERMINAL_NANOS : PLAIN_NANOS;
    }

    /** The nanoseconds since this was made. */
    public long nanos() {
        return console.nanos() - start;
    }

    /** Ends the job if a person has asked for it. */
    public void check() {
        console.interruption().check();
    }

    /**
     * Ends the job if a person has asked for it. Otherwise shows how far the job is, if it was not shown a moment ago.
     *
     * @param done how many things are done
     * @param part how much that is of all, from 0 to 1, or {@link #UNKNOWN}
     */
    public void at(long done, double part) {
        check();
        if (isQuiet) {
            return;
        }
        long now = console.nanos();
        if (now - due < 0) {
            return;
        }
        due = now + interval();
        String text = text(done, part, now - jobStart);
        if (isTerminal) {
            console.raw(BEGIN_OF_LINE + WITHOUT_WRAPPING + text + ERASE_REST + WITH_WRAPPING);
            isShown = true;
        } else {
            console.tell(text);
        }
    }

    private String text(long done, double part, long nanos) {
        String counted = Figures.count(done, noun) + ", " + Figures.rate(done, noun, nanos);
        boolean isEstimate = part < 0 && done <= expected && expected > 0;
        if (part < 0 && !isEstimate) {
            return job + ": " + counted;
        }
        double known = isEstimate ? (double) done / expected : Math.min(part, 1);
        String sign = isEstimate ? "about " : "";
        String percent = sign + String.format(Locale.ROOT, "%3d %%", (int) (known * 100));
        String left = known == 0 ? "" : ", " + sign + Figures.left(nanos / 1e9 * (1 - known) / known);
        return job + ": " + (isTerminal ? bar(known) + " " : "") + percent + ", " + counted + left;
    }

    private static String bar(double part) {
        int done = (int) (part * BAR_CHARS);
        return "[" + "#".repeat(done) + "-".repeat(BAR_CHARS - done) + "]";
    }

    /** Takes the bar away, and prints a line about the work. */
    public void end(String summary) {
        clear();
        if (!isQuiet) {
            console.tell(summary);
        }
    }

    private void clear() {
        if (isShown) {
            console.raw(BEGIN_OF_LINE + ERASE_REST);
            isShown = false;
        }
    }

    /** Takes the bar away, so that a line may follow. */
    @Override
    public void close() {
        clear();
    }
}
