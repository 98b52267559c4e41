package io.kvstore.engine;

/**
 * A count that all readers change on their way, without a lock and without an atomic operation. Some changes are lost where
 * threads meet, and a thread may see an old count for a while. A reader pays one load and one store for it, and no traffic of
 * memory between processors beyond that. So it may only decide when some work in the background is worth while, never what an
 * answer is.
 */
public final class HintCounter {

    private long count;

    /** Adds one. */
    public void increment() {
        count++;
    }

    /** Adds some. */
    public void add(long more) {
        count += more;
    }

    /** About how often it was added to since {@link #reset}. */
    public long get() {
        return count;
    }

    /** Begins again at 0. */
    public void reset() {
        count = 0;
    }
}
