package io.kvstore.engine;

import io.kvstore.io.Slice;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * A walk over entries in one view. Used by one thread at a time; what it pins is given back by {@link #close()}, and as far as
 * the engine can find it again, by {@link #rest()}.
 */
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

    /**
     * Where it walks over much that it does not give, it asks now and then whether somebody waits for its end, and fails then.
     * Called once, before it is used.
     */
    default void stopWhen(BooleanSupplier closed) {
        // it gives all that it walks over
    }

    /**
     * Nobody will use the cursor for a while, nor what {@link #valueHere} gave. Whatever is done meanwhile, it goes on where it
     * is when it is used again; and nothing but the entries of its view, which an open snapshot keeps, is held for it.
     */
    default void rest() {
        // it holds nothing that others miss
    }

    @Override
    void close();
}
