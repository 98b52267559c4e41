package io.kvstore.lsm.sstable;

import io.kvstore.data.KeyOrder;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.EntryKind;
import java.util.Comparator;

/** One version of a key, as tests write it and read it back. */
record ListedEntry(byte[] key, long lsn, int kind, byte[] value) {

    /** The order of an SSTable. */
    static final Comparator<ListedEntry> ORDER = Comparator.comparing(ListedEntry::key, KeyOrder.COMPARATOR)
            .thenComparing(ListedEntry::lsn, Comparator.reverseOrder());

    static ListedEntry put(byte[] key, long lsn, byte[] value) {
        return new ListedEntry(key, lsn, EntryKind.INLINE, value);
    }

    static ListedEntry tombstone(byte[] key, long lsn) {
        return new ListedEntry(key, lsn, EntryKind.TOMBSTONE, new byte[0]);
    }

    /** A copy of the entry where a cursor is. */
    static ListedEntry at(EntryCursor cursor) {
        byte[] array = cursor.valueArray();
        byte[] value = new byte[cursor.valueLength()];
        System.arraycopy(array, cursor.valueOffset(), value, 0, value.length);
        return new ListedEntry(cursor.key().toArray(), cursor.lsn(), cursor.kind(), value);
    }

    boolean sameAs(ListedEntry other) {
        return ORDER.compare(this, other) == 0 && kind == other.kind && KeyOrder.compare(value, other.value) == 0;
    }

    @Override
    public String toString() {
        return KeyOrder.display(key) + "@" + lsn + "/" + kind + "/" + value.length;
    }
}
