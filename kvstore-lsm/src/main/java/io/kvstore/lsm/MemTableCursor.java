package io.kvstore.lsm;

import io.kvstore.data.KeyHead;
import io.kvstore.lsm.sstable.EntryCursor;
import io.kvstore.lsm.sstable.KeyBuffer;
import org.jspecify.annotations.Nullable;

/** A walk over a memtable, also while it is written. There are no links back, so a reverse walk searches for each step. */
final class MemTableCursor implements EntryCursor {

    private static final int KEPT_BYTES = 1 << 20;

    private final MemTable table;
    private final boolean reversed;
    private final KeyBuffer key = new KeyBuffer();
    private byte @Nullable [] searched;
    private byte[] value = {};
    private int node;

    MemTableCursor(MemTable table, boolean reversed) {
        this.table = table;
        this.reversed = reversed;
    }

    @Override
    public boolean seek(byte @Nullable [] bound, boolean inclusive) {
        if (bound == null) {
            return moveTo(reversed ? table.last() : table.first());
        }
        long head = KeyHead.of(bound);
        boolean beforeAllVersions = inclusive != reversed;
        long lsn = beforeAllVersions ? Long.MAX_VALUE : -1;
        return moveTo(reversed ? table.lower(bound, head, lsn) : table.ceiling(bound, head, lsn));
    }

    @Override
    public boolean advance() {
        if (!reversed) {
            return moveTo(table.next(node));
        }
        searched = MemTable.exact(key, searched);
        return moveTo(table.lower(searched, key.head(), lsn()));
    }

    private boolean moveTo(int target) {
        if (value.length > KEPT_BYTES) {
            value = new byte[0];
        }
        node = target;
        if (target == MemTable.NIL) {
            return false;
        }
        table.copyKey(target, key);
        return true;
    }

    @Override
    public KeyBuffer key() {
        return key;
    }

    @Override
    public long lsn() {
        return table.lsn(node);
    }

    @Override
    public int kind() {
        return table.kind(node);
    }

    @Override
    public byte[] valueArray() {
        int length = valueLength();
        if (value.length < length) {
            value = new byte[length > KEPT_BYTES ? length : Math.max(length, 2 * value.length)];
        }
        table.copyValue(node, value);
        return value;
    }

    @Override
    public int valueOffset() {
        return 0;
    }

    @Override
    public int valueLength() {
        return table.valueLength(node);
    }
}
