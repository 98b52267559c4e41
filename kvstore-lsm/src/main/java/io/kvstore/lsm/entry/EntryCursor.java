package io.kvstore.lsm.entry;

import io.kvstore.bytes.Slice;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A walk over all versions of all keys of one source. Its direction is fixed when it is made: forward by key and, within a
 * key, from the newest version to the oldest; or exactly the reverse. After {@link #seek} or {@link #advance} returned
 * true, the cursor is at an entry. The results of the other methods are valid until the cursor moves.
 */
public interface EntryCursor {

    /**
     * Moves to the first entry whose key is at or after the bound. In reverse, moves to the last entry whose key is at or
     * before it.
     *
     * @param bound null for no bound
     * @param inclusive whether a key equal to the bound counts
     */
    boolean seek(byte @Nullable [] bound, boolean inclusive) throws IOException;

    /** Moves on by one entry. Called only after a move that returned true. */
    boolean advance() throws IOException;

    /** The cursor that has the current entry: this one, or one of those that it merges. Valid until the cursor moves. */
    default EntryCursor source() {
        return this;
    }

    KeyBuffer key();

    long lsn();

    /** The kind of the current entry, see {@link EntryKind}. */
    int kind();

    /** The pointer to the value of an entry of the kind {@link EntryKind#VALUE_POINTER}, which some sources never have. */
    default ValuePointer pointer() {
        throw new IllegalStateException("the values of this source are all inline");
    }

    /** An array that holds the current value from {@link #valueOffset()} on. Not allowed if the value is kept apart. */
    byte[] valueArray();

    /** The index in {@link #valueArray()} at which the value begins. {@link #valueArray()} must be called first. */
    int valueOffset();

    int valueLength();

    /** The value of the current entry. Not allowed if the value is kept apart. */
    default Slice value() {
        byte[] array = valueArray();
        return new Slice(array, valueOffset(), valueLength());
    }
}
