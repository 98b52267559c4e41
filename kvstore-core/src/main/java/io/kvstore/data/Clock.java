package io.kvstore.data;

/** The source of elapsed time. The store never orders anything by time and never reads the wall clock. */
@FunctionalInterface
public interface Clock {

    /** Nanoseconds since an arbitrary moment. The value never goes back. */
    long nanoTime();

    /** The machine's monotonic clock. */
    static Clock system() {
        return System::nanoTime;
    }
}
