package io.kvstore.engine;

import io.kvstore.bytes.Slice;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * A walk over the entries of one view. Used by one thread at a time. {@link #close()} gives back everything that the cursor
 * pins. {@link #rest()} gives back the part that the engine can find again.
 */
public interface EngineCursor extends AutoCloseable {

    /** Moves to the next entry. Returns false if there is none. The first call moves to the first entry. */
    boolean next() throws IOException;

    /** The key of the current entry, in a fresh array. */
    byte[] key();

    /** The value of the current entry, in a fresh array. */
    byte[] value() throws IOException;

    /**
     * The current entry's value in the memory that it was read to. The slice is valid until the cursor moves or a value is
     * asked for. The caller does not write to it.
     */
    default Slice valueHere() throws IOException {
        return Slice.of(value());
    }

    /**
     * Gives the cursor a condition that says whether somebody waits for its end. A cursor that walks over many entries without
     * returning one checks the condition now and then, and fails when it holds. Called once, before the cursor is used.
     */
    default void stopWhen(BooleanSupplier closed) {
        // the cursor meets no removed keys
    }

    /**
     * Says that nobody will use the cursor for a while, nor the slices of {@link #valueHere}. Whatever happens meanwhile, the
     * cursor goes on from its position when it is used again. Until then nothing is held for it except the entries of its view,
     * which an open snapshot keeps.
     */
    default void rest() {
        // the cursor holds nothing that others miss
    }

    @Override
    void close();
}
