package io.kvstore.value;

import org.jspecify.annotations.Nullable;

/** Chunks that wait for being written, in order. One more takes no memory. For any number of threads. */
final class WaitingChunks {

    private @Nullable TailChunk first;
    private @Nullable TailChunk last;
    private int count;

    /** Adds one that is in no list. */
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

    /** The one that waits longest, or null. */
    @Nullable
    synchronized TailChunk first() {
        return first;
    }

    /** The one behind one that waits, or null. */
    @Nullable
    synchronized TailChunk after(TailChunk chunk) {
        return chunk.next;
    }

    /** The one that waits longest does not wait any more; null if there is none. */
    @Nullable
    synchronized TailChunk poll() {
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
