package io.kvstore.lsm.entry;

/** What an entry says of its key: one byte, the kind in the low four bits, flags above. No flag has a meaning yet. */
public final class EntryKind {

    /** The value follows. */
    public static final int INLINE = 1;

    /** Where the value is kept follows, a {@link io.kvstore.value.ValuePointer}. */
    public static final int VALUE_POINTER = 2;

    /** The key has no value. */
    public static final int TOMBSTONE = 3;

    private EntryKind() {}

    /** Whether this version can read an entry with this byte, flags included. */
    public static boolean isReadable(int kind) {
        return kind == INLINE || kind == VALUE_POINTER || kind == TOMBSTONE;
    }
}
