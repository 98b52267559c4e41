package io.kvstore.data;

import java.time.InstantSource;

/** The source of elapsed time. The store never orders anything by time, and reads the wall clock for people only. */
@FunctionalInterface
public interface Clock {

    /** Nanoseconds since an arbitrary moment. The value never goes back. */
    long nanoTime();

    /** Milliseconds since 1970, as the machine has it, to tell people when a backup was made. May go back. */
    default long wallMillis() {
        return InstantSource.system().millis();
    }

    /** The machine's monotonic clock. */
    static Clock system() {
        return System::nanoTime;
    }
}
