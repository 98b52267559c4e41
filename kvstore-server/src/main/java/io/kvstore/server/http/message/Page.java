package io.kvstore.server.http.message;

import io.kvstore.server.edge.ByteBudget;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The entries of one answer as they were read, and the heap that they claim. Used by one thread at a time. */
public final class Page {

    /** What an entry takes beside its bytes. */
    private static final int ENTRY_BYTES = 96;

    /** An entry is text when it is sent, at most so many times its size, one entry at a time. */
    private static final int TEXT_COPIES = 4;

    private final ByteBudget.Claim heap;
    private final List<Entry> entries = new ArrayList<>();
    private long bytes;
    private long largestBytes;

    /** An entry, or a key that was asked for and is not there or whose value was not. */
    record Entry(byte[] key, byte @Nullable [] value) {}

    /** @param heap of the request, which gives it back when it ends */
    public Page(ByteBudget.Claim heap) {
        this.heap = heap;
    }

    /** Adds an entry, or refuses the request because other answers have the heap. */
    public void add(byte[] key, byte @Nullable [] value) {
        long size = key.length + (value == null ? 0L : value.length);
        heap.take(size + ENTRY_BYTES);
        if (size > largestBytes) {
            heap.take(TEXT_COPIES * (size - largestBytes));
            largestBytes = size;
        }
        bytes += size;
        entries.add(new Entry(key, value));
    }

    List<Entry> entries() {
        return entries;
    }

    /** Keys and values together. */
    public long bytes() {
        return bytes;
    }
}
