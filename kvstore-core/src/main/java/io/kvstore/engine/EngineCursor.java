package io.kvstore.engine;

import java.io.IOException;

/** A walk over entries in one view. Used by one thread at a time; what it pins is given back by {@link #close()}. */
public interface EngineCursor extends AutoCloseable {

    /** Moves to the next entry; false when there is none. The first call moves to the first entry. */
    boolean next() throws IOException;

    /** The key of the current entry; a fresh array. */
    byte[] key();

    /** The value of the current entry; a fresh array. */
    byte[] value() throws IOException;

    @Override
    void close();
}
