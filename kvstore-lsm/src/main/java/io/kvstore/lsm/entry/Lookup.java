package io.kvstore.lsm.entry;

import io.kvstore.data.KeyHead;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.ValuePointer;
import org.jspecify.annotations.Nullable;

/** The search for one key in one view, and its result. */
public final class Lookup {

    private final byte[] key;
    private final long head;
    private final long viewLsn;
    private final boolean wantsValue;
    private final @Nullable LentValue lent;
    private long hash;
    private boolean hashed;
    private long lsn;
    private byte @Nullable [] value;
    private @Nullable ValuePointer pointer;

    /** @param viewLsn entries above it are invisible */
    public Lookup(byte[] key, long viewLsn) {
        this(key, viewLsn, true, null);
    }

    private Lookup(byte[] key, long viewLsn, boolean wantsValue, @Nullable LentValue lent) {
        this.key = key;
        this.head = KeyHead.of(key);
        this.viewLsn = viewLsn;
        this.wantsValue = wantsValue;
        this.lent = lent;
    }

    /** A search that ends with the entry. A value that is kept apart is not read. */
    public static Lookup ofEntry(byte[] key, long viewLsn) {
        return new Lookup(key, viewLsn, false, null);
    }

    /** A search that lends the value where it can; then it finds {@link LentValue#ELSEWHERE}. Null lends nothing. */
    public static Lookup lending(byte[] key, long viewLsn, @Nullable LentValue lent) {
        return new Lookup(key, viewLsn, true, lent);
    }

    /** Where a value may be lent to, instead of being read. */
    public @Nullable LentValue lent() {
        return lent;
    }

    public byte[] key() {
        return key;
    }

    public long head() {
        return head;
    }

    /** The lsn of the view. Entries above it are invisible. */
    public long viewLsn() {
        return viewLsn;
    }

    /** Whether a value that is kept apart is to be read. */
    public boolean wantsValue() {
        return wantsValue;
    }

    /** Whether the entry that was found has a value, read or not. */
    public boolean hasValue() {
        return pointer != null || value != null;
    }

    public long hash() {
        if (!hashed) {
            hash = FilterHash.of(key, key.length);
            hashed = true;
        }
        return hash;
    }

    /** Ends the search with the entry that was found. A tombstone has no value. */
    public void found(long entryLsn, byte @Nullable [] entryValue) {
        this.lsn = entryLsn;
        this.value = entryValue;
        this.pointer = null;
    }

    /** Ends the search with an entry whose value is kept apart. The value is still to be read. */
    public void foundPointer(long entryLsn, ValuePointer entryPointer) {
        this.lsn = entryLsn;
        this.pointer = entryPointer;
    }

    /** The pointer to a value that is still to be read, or null. */
    public @Nullable ValuePointer pointer() {
        return pointer;
    }

    /** The lsn of the entry that was found, or 0 while none was. */
    public long lsn() {
        return lsn;
    }

    /** The value that was found, or null. */
    public byte @Nullable [] value() {
        return value;
    }
}
