package io.kvstore.cli.console;

import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C: a long command looks whether it was asked to end, and leaves nothing half done. Safe for several threads. The monitor
 * guards the flag, and a command waits on it.
 */
public final class Interruption {

    private boolean isAsked;

    /** Asks the command to end. */
    public synchronized void ask() {
        isAsked = true;
        notifyAll();
    }

    /** Forgets that a command was asked to end, before the next one begins. */
    public synchronized void clear() {
        isAsked = false;
    }

    /** Whether the command was asked to end. */
    public synchronized boolean isAsked() {
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
