package io.kvstore.bench.maps;

import java.io.IOException;
import java.util.Map;

/** An open map in memory, empty at the start. Any number of threads may use it. */
interface LongMap extends AutoCloseable {

    /** The map as its library hands it to its users, for one thread. */
    Map<Long, Long> map();

    /**
     * Sets a value with the call that the library has for this.
     *
     * @param own the thread's {@link #map}
     */
    default void set(Map<Long, Long> own, Long key, Long value) {
        own.put(key, value);
    }

    /** The bytes of memory that the library says it uses; 0 if it does not say. */
    default long ownBytes() {
        return 0;
    }

    @Override
    default void close() throws IOException {
        // Most maps end with their JVM.
    }
}
