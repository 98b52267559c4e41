package io.kvstore.bench.store;

import java.io.IOException;

/** A store in the duel. Any number of threads open sessions. */
public interface Contender extends AutoCloseable {

    /** For the thread that calls, which also closes it. */
    Session session() throws IOException;

    /** Moves what is buffered in memory to files; begins nothing else. */
    void flush() throws IOException;

    @Override
    void close() throws IOException;
}
