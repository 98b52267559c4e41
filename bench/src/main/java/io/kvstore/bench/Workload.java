package io.kvstore.bench;

/**
 * The entries that every subject of the log's rows is given: {@link Shape#WIDE}, no two alike. One generator for each thread;
 * it fills the same two arrays again and again.
 */
final class Workload {

    static final int KEY_BYTES = Shape.WIDE.keyBytes();
    static final int VALUE_BYTES = Shape.WIDE.valueBytes();

    private final byte[] key = new byte[KEY_BYTES];
    private final byte[] value = new byte[VALUE_BYTES];
    private final int thread;
    private long next;

    /** @param thread makes the keys differ from those of other threads */
    Workload(int thread) {
        this.thread = thread;
    }

    /** Goes on to the next entry. */
    void advance() {
        long number = next | (long) thread << 40;
        Shape.WIDE.fillKey(number, key);
        Shape.WIDE.fillValue(number, value);
        next++;
    }

    byte[] key() {
        return key;
    }

    byte[] value() {
        return value;
    }
}
