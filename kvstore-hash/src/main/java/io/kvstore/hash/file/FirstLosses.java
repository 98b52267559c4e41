package io.kvstore.hash.file;

import io.kvstore.engine.Findings;

/** Names the first losses of one kind and counts the others, so that a report has room for other kinds. For one thread. */
public final class FirstLosses {

    private static final int MOST_NAMED = 100;

    private final Findings losses;
    private long count;
    private long unnamedBytes;

    public FirstLosses(Findings losses) {
        this.losses = losses;
    }

    /**
     * Tells of a loss; returns whether it was named.
     *
     * @param bytes how many are lost
     */
    public boolean report(String file, long offset, long bytes, String message) {
        if (++count <= MOST_NAMED) {
            losses.report(file, offset, message);
            return true;
        }
        unnamedBytes += bytes;
        return false;
    }

    /** Tells of those that were not named, if there are any. */
    public void sumUp(String file, String kind) {
        if (count > MOST_NAMED) {
            losses.report(file, -1, (count - MOST_NAMED) + " more " + kind + ", with " + unnamedBytes + " bytes");
        }
    }
}
