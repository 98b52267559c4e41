package io.kvstore.value.append;

import org.jspecify.annotations.Nullable;

/** The chunks that wait for being written, in order. To add a chunk allocates no memory. Safe for any number of threads. */
final class WaitingChunks {

    private @Nullable TailChunk first;
    private @Nullable TailChunk last;
    private int count;

    /** Adds a chunk that is in no list. */
    synchronized void add(TailChunk chunk) {
        TailChunk before = last;
        if (before == null) {
            first = chunk;
        } else {
            before.next = chunk;
        }
        last = chunk;
        count++;
    }

    synchronized @Nullable TailChunk first() {
        return first;
    }

    synchronized @Nullable TailChunk after(TailChunk chunk) {
        return chunk.next;
    }

    /** Removes the chunk that has waited longest; null if there is none. */
    synchronized @Nullable TailChunk poll() {
        TailChunk taken = first;
        if (taken != null) {
            first = taken.next;
            last = first == null ? null : last;
            taken.next = null;
            count--;
        }
        return taken;
    }

    synchronized int count() {
        return count;
    }
}
