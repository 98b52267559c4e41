package io.kvstore.server.http.message;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.KeyName;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one answer in the order in which they were read, and the heap memory that they claim. Used by one thread at a
 * time.
 */
public final class Page {

    /** The heap memory that an entry takes beside its bytes. */
    private static final int ENTRY_BYTES = 96;

    private final ByteBudget.Claim heap;
    private final List<Entry> entries = new ArrayList<>();
    private long bytes;

    /** An entry. The value is null if only keys were asked for, or if the key that was asked for has no value. */
    record Entry(byte[] key, byte @Nullable [] value) {}

    /** @param heap the request's memory, which the request gives back when it ends */
    public Page(ByteBudget.Claim heap) {
        this.heap = heap;
    }

    /** Adds an entry, or refuses the request if there is no heap memory for it. */
    public void add(byte[] key, byte @Nullable [] value) {
        long size = key.length + (value == null ? 0L : value.length);
        heap.take(
                size + ENTRY_BYTES,
                () -> "the page up to the key " + KeyName.of(key) + ", whose value has " + (size - key.length)
                        + " bytes,");
        bytes += size;
        entries.add(new Entry(key, value));
    }

    List<Entry> entries() {
        return entries;
    }

    /** The bytes of all keys and values. */
    public long bytes() {
        return bytes;
    }
}
