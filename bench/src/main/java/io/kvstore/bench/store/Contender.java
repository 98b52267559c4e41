package io.kvstore.bench.store;

import java.io.IOException;

/** A store in the duel. Any number of threads may open sessions. */
public interface Contender extends AutoCloseable {

    /** A session for the calling thread, which also closes it. */
    Session session() throws IOException;

    /** Moves data that is buffered in memory to files. Starts no other work. */
    void flush() throws IOException;

    @Override
    void close() throws IOException;
}
