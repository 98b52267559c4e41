package io.kvstore.engine;

/**
 * A count that any thread changes on its way, without a lock and without an atomic operation. Some changes are lost where
 * threads meet, and a thread may see an old count for a while. A change costs one load and one store, and no locked
 * instruction. So the count may only decide when some work in the background is worth while, never an answer.
 */
public final class HintCounter {

    private long count;

    public void increment() {
        count++;
    }

    public void add(long more) {
        count += more;
    }

    /** About the sum of all that was added since {@link #reset}. */
    public long get() {
        return count;
    }

    public void reset() {
        count = 0;
    }
}
