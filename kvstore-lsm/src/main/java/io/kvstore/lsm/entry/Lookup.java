package io.kvstore.lsm.entry;

import io.kvstore.data.KeyHead;
import io.kvstore.value.ValuePointer;
import org.jspecify.annotations.Nullable;

/** The search for one key in one view: what is looked for, and what was found. */
public final class Lookup {

    private final byte[] key;
    private final long head;
    private final long viewLsn;
    private long hash;
    private boolean hashed;
    private long lsn;
    private byte @Nullable [] value;
    private @Nullable ValuePointer pointer;

    /** @param viewLsn entries above it are invisible */
    public Lookup(byte[] key, long viewLsn) {
        this.key = key;
        this.head = KeyHead.of(key);
        this.viewLsn = viewLsn;
    }

    /** The key that is looked for. */
    public byte[] key() {
        return key;
    }

    /** Its {@link KeyHead}. */
    public long head() {
        return head;
    }

    /** Entries above it are invisible. */
    public long viewLsn() {
        return viewLsn;
    }

    public long hash() {
        if (!hashed) {
            hash = FilterHash.of(key, key.length);
            hashed = true;
        }
        return hash;
    }

    /** Ends the search: an entry of {@code lsn} was found, with a value or, for a tombstone, null. */
    public void found(long entryLsn, byte @Nullable [] entryValue) {
        this.lsn = entryLsn;
        this.value = entryValue;
        this.pointer = null;
    }

    /** Ends the search for the entry, of {@code lsn}; its value is kept elsewhere and stays to be read. */
    public void foundPointer(long entryLsn, ValuePointer entryPointer) {
        this.lsn = entryLsn;
        this.pointer = entryPointer;
    }

    /** Where the value is that stays to be read, or null. */
    public @Nullable ValuePointer pointer() {
        return pointer;
    }

    /** The lsn of what was found; 0 while nothing was. */
    public long lsn() {
        return lsn;
    }

    /** The value that was found, or null. */
    public byte @Nullable [] value() {
        return value;
    }
}
