package io.kvstore.lsm.entry;

import io.kvstore.io.Slice;
import io.kvstore.value.ValuePointer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A walk over all versions of all keys of one source, in one direction that is fixed when it is made: forward by key and,
 * within a key, from the newest version; or exactly the reverse. After {@link #seek} or {@link #advance} returned true the
 * cursor is at an entry, and what the other methods return is valid until it moves.
 */
public interface EntryCursor {

    /**
     * Forward: moves to the first entry whose key is at or after the bound. Reverse: to the last whose key is at or before it.
     *
     * @param bound null for no bound
     * @param inclusive whether a key equal to the bound counts
     */
    boolean seek(byte @Nullable [] bound, boolean inclusive) throws IOException;

    /** Moves on by one entry; only after a move that returned true. */
    boolean advance() throws IOException;

    /** Who has the entry here: this one or, where it walks over several, one of those. Valid until it moves. */
    default EntryCursor source() {
        return this;
    }

    /** The key here. */
    KeyBuffer key();

    /** The version here. */
    long lsn();

    /** One of {@link EntryKind}. */
    int kind();

    /** Where the value here is kept; only if the kind is {@link EntryKind#VALUE_POINTER}, which not every source has. */
    default ValuePointer pointer() {
        throw new IllegalStateException("the values of this source are all inline");
    }

    /** An array that holds the value here from {@link #valueOffset()} on; not if it is kept elsewhere. */
    byte[] valueArray();

    /** Where in {@link #valueArray()} the value begins; call that method first. */
    int valueOffset();

    /** The length of the value. */
    int valueLength();

    /** The value here; not if it is kept elsewhere. */
    default Slice value() {
        byte[] array = valueArray();
        return new Slice(array, valueOffset(), valueLength());
    }
}
