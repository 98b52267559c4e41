package io.kvstore.sealed.read;

import java.io.IOException;

/** Leads from the hash of a key to places of records that may be the key's. What leads to a place is a number of its own. */
sealed interface Locator permits LineLocator, PerfectLocator {

    /** No number. */
    long NONE = -1;

    /** The number of the first place where the record of a key may be, or {@link #NONE}. */
    long first(long hash) throws IOException;

    /** The number behind {@code last} of the next place where the record of the same key may be, or {@link #NONE}. */
    long next(long hash, long last) throws IOException;

    /** The place of a number. */
    long place(long found) throws IOException;

    /** A step of {@link #used} has one number more than this. */
    int STEP_MASK = (1 << 12) - 1;

    /**
     * How many numbers lead to a place.
     *
     * @param step runs after every few of them, and may throw to end this
     */
    long used(Runnable step) throws IOException;
}
