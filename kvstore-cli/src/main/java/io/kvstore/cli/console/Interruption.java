package io.kvstore.cli.console;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ctrl-C: a long command looks whether it was asked to end, and leaves nothing half done. Safe for several threads. The monitor
 * guards changes of the flag, and a command waits on it. The flag is read for each entry, without the monitor.
 */
public final class Interruption {

    private volatile boolean isAsked;
    private @Nullable Supplier<@Nullable String> undoing;

    /** Asks the command to end. */
    public synchronized void ask() {
        isAsked = true;
        notifyAll();
    }

    /** Forgets that a command was asked to end, before the next one begins. */
    public synchronized void clear() {
        isAsked = false;
    }

    /**
     * Tells that the command undoes its work if it is asked to end, which takes longer; null ends that.
     *
     * @param left says what is left if the process ends now, or null if nothing is; any thread may ask it
     */
    public synchronized void setUndoing(@Nullable Supplier<@Nullable String> left) {
        undoing = left;
    }

    /** Whether the command has work to undo. */
    public synchronized boolean isUndoing() {
        return undoing != null;
    }

    /** Tells people about the things that stay if the process ends now; null if there are none. */
    public @Nullable String left() {
        Supplier<@Nullable String> asked;
        synchronized (this) {
            asked = undoing;
        }
        return asked == null ? null : asked.get();
    }

    /** Whether the command was asked to end. */
    public boolean isAsked() {
        return isAsked;
    }

    /** Ends the command if it was asked to. */
    public void check() {
        if (isAsked()) {
            throw new CommandFailure(ExitStatus.INTERRUPTED, "interrupted");
        }
    }

    /** Waits for some time. Returns early, and true, if the command was asked to end. */
    public synchronized boolean await(long nanos) {
        long end = System.nanoTime() + nanos;
        try {
            for (long left = nanos; left > 0 && !isAsked; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
        return isAsked;
    }
}
