package io.kvstore.sealed.read;

import io.kvstore.bytes.Slice;
import io.kvstore.engine.EngineCursor;
import java.io.IOException;

/** A walk over the records of a span. Holds one block in memory. */
final class SealedCursor implements EngineCursor {

    private final Fences fences;
    private final RecordBlock block;
    private final boolean reversed;

    /** The records that were not visited. */
    private long from;

    private long to;

    /** The place of the present record in the block. */
    private int record;

    /** The ordinal of the block's first record, and of the first one behind it. Both 0 before the first step. */
    private long first;

    private long end;

    /** @param block in which bounds of the span were looked for */
    SealedCursor(Fences fences, RecordBlock block, KeySearch.Span span, boolean reversed) {
        this.fences = fences;
        this.block = block;
        this.reversed = reversed;
        this.from = span.from();
        this.to = span.to();
    }

    @Override
    public boolean next() throws IOException {
        if (from >= to) {
            return false;
        }
        long ordinal = reversed ? to - 1 : from;
        if (ordinal < first || ordinal >= end || block.count() == 0) {
            enter(ordinal);
        }
        record = (int) (ordinal - first);
        if (reversed) {
            to = ordinal;
        } else {
            from = ordinal + 1;
        }
        return true;
    }

    /** Loads the block of a record. From the second time on it is a neighbour. */
    private void enter(long ordinal) throws IOException {
        long next;
        if (end == 0) {
            next = fences.blockOf(ordinal);
        } else {
            next = block.number() + (reversed ? -1 : 1);
        }
        end = 0; // a block that cannot be loaded is looked for again
        block.load(next);
        first = fences.ordinal(next);
        end = first + block.count();
        if (ordinal < first || ordinal >= end) {
            throw fences.withoutRecord(next, ordinal);
        }
    }

    @Override
    public byte[] key() {
        return block.key(record);
    }

    @Override
    public byte[] value() {
        return valueHere().toArray();
    }

    @Override
    public Slice valueHere() {
        return block.value(record);
    }

    @Override
    public void close() {
        // nothing is pinned
    }
}
