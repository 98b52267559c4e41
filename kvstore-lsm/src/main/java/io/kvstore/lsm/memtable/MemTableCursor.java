package io.kvstore.lsm.memtable;

import io.kvstore.data.KeyHead;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.value.segment.ValuePointer;
import org.jspecify.annotations.Nullable;

/**
 * A walk over a memtable, leaf by leaf, also while it is written. When the walk goes on to another leaf, it reads the lsn
 * and kind of all entries there at once. The entries lie where they were put, and to wait for the memory of one after the
 * other takes several times as long.
 */
final class MemTableCursor implements EntryCursor {

    private static final int KEPT_BYTES = 1 << 20;

    private final Run.Leaves leaves;
    private final EntryArena entries;
    private final boolean reversed;
    private final LeafCopy leaf = new LeafCopy();
    private final KeyBuffer key = new KeyBuffer();
    private final long[] lsns = new long[LeafCopy.MAX_ENTRIES];
    private final byte[] kinds = new byte[LeafCopy.MAX_ENTRIES];
    private byte[] value = {};
    private int position;
    private int entry;

    /** Whether {@link #lsns} and {@link #kinds} have all entries of the leaf, or only the one at {@link #position}. */
    private boolean isLeafRead;

    MemTableCursor(Run.Leaves leaves, EntryArena entries, boolean reversed) {
        this.leaves = leaves;
        this.entries = entries;
        this.reversed = reversed;
    }

    @Override
    public boolean seek(byte @Nullable [] bound, boolean inclusive) {
        if (bound == null) {
            leaves.copyLeaf(reversed, leaf);
            position = reversed ? leaf.size() - 1 : 0;
            isLeafRead = false;
        } else {
            boolean beforeAllVersions = inclusive != reversed;
            seek(bound, KeyHead.of(bound), beforeAllVersions ? Long.MAX_VALUE : -1);
        }
        return settle();
    }

    /** Moves to the first entry at or after a key and an lsn or, in reverse, to the last one before both. */
    private void seek(byte[] bound, long head, long lsn) {
        if (reversed) {
            long before = lsn == Long.MAX_VALUE ? lsn : lsn + 1;
            leaves.copyLeaf(bound, head, before, leaf);
            position = leaf.ceiling(entries, bound, head, lsn) - 1;
        } else {
            leaves.copyLeaf(bound, head, lsn, leaf);
            position = leaf.ceiling(entries, bound, head, lsn);
        }
        isLeafRead = false;
    }

    @Override
    public boolean advance() {
        position += reversed ? -1 : 1;
        return settle();
    }

    /** Goes on to the next leaf if this one has no more entries. */
    private boolean settle() {
        if (value.length > KEPT_BYTES) {
            value = new byte[0];
        }
        if (position < 0 || position >= leaf.size()) {
            int fence = reversed ? leaf.lower() : leaf.upper();
            if (fence == Run.NIL) {
                return false;
            }
            entries.copyKey(fence, key);
            seek(key.toArray(), entries.head(fence), entries.lsn(fence));
            readLeaf();
        }
        entry = leaf.entry(position);
        if (!isLeafRead) {
            read(position);
        }
        entries.copyKey(entry, key);
        return true;
    }

    private void readLeaf() {
        for (int i = 0; i < leaf.size(); i++) {
            read(i);
        }
        isLeafRead = true;
    }

    private void read(int index) {
        int at = leaf.entry(index);
        lsns[index] = entries.lsn(at);
        kinds[index] = (byte) entries.kind(at);
    }

    @Override
    public KeyBuffer key() {
        return key;
    }

    @Override
    public long lsn() {
        return lsns[position];
    }

    @Override
    public int kind() {
        return kinds[position];
    }

    @Override
    public ValuePointer pointer() {
        return entries.pointer(entry);
    }

    @Override
    public byte[] valueArray() {
        int length = valueLength();
        if (value.length < length) {
            value = new byte[length > KEPT_BYTES ? length : Math.max(length, 2 * value.length)];
        }
        entries.copyValue(entry, value);
        return value;
    }

    @Override
    public int valueOffset() {
        return 0;
    }

    @Override
    public int valueLength() {
        return entries.valueLength(entry);
    }
}
