package io.kvstore.lsm.entry;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A walk over several sources as if they were one. A binary heap holds the sources that are at an entry, the next one on
 * top. The heads of their keys lie side by side, because they nearly always decide a comparison.
 */
public final class MergingCursor implements RelayCursor {

    /** A walk over no entries. It is never advanced, because its searches find nothing. */
    public static final EntryCursor NONE = new MergingCursor(List.of(), false);

    private final EntryCursor[] sources;
    private final EntryCursor[] heap;
    private final long[] heads;
    private final boolean reversed;
    private int size;

    private MergingCursor(List<EntryCursor> sources, boolean reversed) {
        this.sources = sources.toArray(EntryCursor[]::new);
        this.heap = new EntryCursor[this.sources.length];
        this.heads = new long[this.sources.length];
        this.reversed = reversed;
    }

    /** @param sources at least one, all in the same direction */
    public static EntryCursor of(List<EntryCursor> sources, boolean reversed) {
        return sources.size() == 1 ? sources.getFirst() : new MergingCursor(sources, reversed);
    }

    @Override
    public boolean seek(byte @Nullable [] bound, boolean inclusive) throws IOException {
        size = 0;
        for (EntryCursor source : sources) {
            if (source.seek(bound, inclusive)) {
                heap[size] = source;
                heads[size++] = source.key().head();
            }
        }
        for (int i = size / 2 - 1; i >= 0; i--) {
            sink(i);
        }
        return size > 0;
    }

    @Override
    public boolean advance() throws IOException {
        if (heap[0].advance()) {
            heads[0] = heap[0].key().head();
        } else {
            heap[0] = heap[--size];
            heads[0] = heads[size];
        }
        sink(0);
        return size > 0;
    }

    private void sink(int start) {
        EntryCursor moved = heap[start];
        long movedHead = heads[start];
        int hole = start;
        while (2 * hole + 1 < size) {
            int child = 2 * hole + 1;
            if (child + 1 < size && isBefore(child + 1, heads[child], heap[child])) {
                child++;
            }
            if (!isBefore(child, movedHead, moved)) {
                break;
            }
            heap[hole] = heap[child];
            heads[hole] = heads[child];
            hole = child;
        }
        heap[hole] = moved;
        heads[hole] = movedHead;
    }

    private boolean isBefore(int place, long head, EntryCursor other) {
        int order = Long.compareUnsigned(heads[place], head);
        if (order == 0) {
            order = heap[place].key().compare(other.key());
        }
        if (order == 0) {
            order = Long.compare(other.lsn(), heap[place].lsn());
        }
        return reversed ? order > 0 : order < 0;
    }

    @Override
    public EntryCursor source() {
        return heap[0].source();
    }
}
