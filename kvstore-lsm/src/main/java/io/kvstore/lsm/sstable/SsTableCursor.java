package io.kvstore.lsm.sstable;

import io.kvstore.error.CorruptionException;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A walk over the entries of one SSTable. A forward walk reads several blocks at once. */
final class SsTableCursor implements EntryCursor {

    private static final int FIRST_AHEAD_BYTES = 16 << 10;

    private final SsTable table;
    private final boolean reversed;
    private final int readAheadBytes;
    private final DataBlock block = new DataBlock();
    private byte[] window = {};
    private int windowFirst;
    private int windowEnd;
    private int aheadBytes;
    private int current;

    SsTableCursor(SsTable table, boolean reversed, int readAheadBytes) {
        this.table = table;
        this.reversed = reversed;
        this.readAheadBytes = readAheadBytes;
    }

    @Override
    public boolean seek(byte @Nullable [] bound, boolean inclusive) throws IOException {
        BlockIndex index = table.index();
        if (!reversed) {
            int first = bound == null ? 0 : index.ceiling(bound);
            if (first == index.size()) {
                return false;
            }
            load(first);
            return block.ceiling(bound, inclusive) || nextBlock(bound, inclusive);
        }
        int last = bound == null ? index.size() : index.ceiling(bound);
        while (bound != null && last < index.size() - 1 && index.compareSeparator(last, bound) == 0) {
            last++;
        }
        load(Math.min(last, index.size() - 1));
        return block.floor(bound, inclusive) || previousBlock(bound, inclusive);
    }

    @Override
    public boolean advance() throws IOException {
        return reversed ? block.retreat() || previousBlock(null, true) : block.advance() || nextBlock(null, true);
    }

    private boolean nextBlock(byte @Nullable [] bound, boolean inclusive) throws IOException {
        BlockIndex index = table.index();
        while (current + 1 < index.size()) {
            boolean isWithin = index.compareSeparator(current, block.key()) >= 0;
            load(current + 1);
            boolean isThere = block.ceiling(bound, inclusive);
            if (!isWithin || (isThere && index.compareSeparator(current - 1, block.key()) > 0)) {
                throw new CorruptionException(
                        table.path(), index.offset(current), "a block does not follow the one before it");
            }
            if (isThere) {
                return true;
            }
        }
        return false;
    }

    private boolean previousBlock(byte @Nullable [] bound, boolean inclusive) throws IOException {
        while (current > 0) {
            load(current - 1);
            if (block.floor(bound, inclusive)) {
                return true;
            }
        }
        return false;
    }

    private void load(int wanted) throws IOException {
        if (wanted < windowFirst || wanted >= windowEnd) {
            fillWindow(wanted);
        }
        BlockIndex index = table.index();
        current = wanted;
        table.open(wanted, block, window, (int) (index.offset(wanted) - index.offset(windowFirst)));
    }

    private void fillWindow(int wanted) throws IOException {
        BlockIndex index = table.index();
        long start = index.offset(wanted);
        int end = wanted + 1;
        while (!reversed && end < index.size() && index.offset(end) + index.length(end) - start <= aheadBytes) {
            end++;
        }
        int length = (int) (index.offset(end - 1) + index.length(end - 1) - start);
        windowEnd = windowFirst;
        block.release();
        aheadBytes = Math.min(readAheadBytes, Math.max(FIRST_AHEAD_BYTES, 2 * aheadBytes));
        if (window.length < length || window.length > 2 * Math.max(length, aheadBytes)) {
            window = new byte[length];
        }
        table.read(window, length, start);
        windowFirst = wanted;
        windowEnd = end;
    }

    @Override
    public KeyBuffer key() {
        return block.key();
    }

    @Override
    public long lsn() {
        return block.lsn();
    }

    @Override
    public int kind() {
        return block.kind();
    }

    @Override
    public ValuePointer pointer() {
        return block.pointer();
    }

    @Override
    public byte[] valueArray() {
        return block.bytes();
    }

    @Override
    public int valueOffset() {
        return block.valueOffset();
    }

    @Override
    public int valueLength() {
        return block.valueLength();
    }
}
