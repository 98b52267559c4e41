package io.kvstore.lsm.entry;

/**
 * The kinds of entries. The kind byte of an entry has the kind in its low four bits and flags above. No flag has a meaning yet.
 */
public final class EntryKind {

    /** The value follows. */
    public static final int INLINE = 1;

    /** A {@link io.kvstore.value.segment.ValuePointer} to the value follows. */
    public static final int VALUE_POINTER = 2;

    public static final int TOMBSTONE = 3;

    private EntryKind() {}

    /** Whether this version of the code can read an entry with this kind byte, flags included. */
    public static boolean isReadable(int kind) {
        return kind == INLINE || kind == VALUE_POINTER || kind == TOMBSTONE;
    }
}
