package io.kvstore.engine;

import io.kvstore.io.Slice;
import java.io.IOException;

/** A walk over entries in one view. Used by one thread at a time; what it pins is given back by {@link #close()}. */
public interface EngineCursor extends AutoCloseable {

    /** Moves to the next entry; false when there is none. The first call moves to the first entry. */
    boolean next() throws IOException;

    /** The key of the current entry; a fresh array. */
    byte[] key();

    /** The value of the current entry; a fresh array. */
    byte[] value() throws IOException;

    /** The current entry's value where it was read: until the cursor moves or a value is asked for, and not to be written. */
    default Slice valueHere() throws IOException {
        return Slice.of(value());
    }

    @Override
    void close();
}
