package io.kvstore.value;

import io.kvstore.io.FileAppender;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Chunks that are written together: they lie one behind the other in the file of one segment.
 *
 * @param chunks at least one
 */
record ValueRun(List<ValueTail.Waiting> chunks) {

    /** The most that is written before any of it leaves memory, unless one chunk has more. */
    private static final long MOST_BYTES = 2 << 20;

    /** The first of what waits. */
    static ValueRun firstOf(Queue<ValueTail.Waiting> waiting) {
        List<ValueTail.Waiting> run = new ArrayList<>();
        long bytes = 0;
        for (ValueTail.Waiting next : waiting) {
            bytes += next.length();
            if (!run.isEmpty()
                    && (bytes > MOST_BYTES || next.segment() != run.getFirst().segment())) {
                break;
            }
            run.add(next);
        }
        return new ValueRun(run);
    }

    StoredSegment segment() {
        return chunks.getFirst().segment();
    }

    /** Where in the file it begins. */
    long start() {
        return chunks.getFirst().chunk().start();
    }

    long bytes() {
        return chunks.stream().mapToLong(ValueTail.Waiting::length).sum();
    }

    /** Whether the segment ends with it. */
    boolean isLast() {
        return chunks.getLast().isLast();
    }

    void appendTo(FileAppender out) throws IOException {
        for (ValueTail.Waiting next : chunks) {
            out.append(next.chunk().bytes(), next.chunk().from(), next.length());
        }
        out.flush();
    }

    /** The same past the system's cache of files; how many bytes it does not have. */
    long appendUncachedTo(FileAppender out) throws IOException {
        return out.appendUncached(chunks.stream()
                .map(next -> ByteBuffer.wrap(next.chunk().bytes(), next.chunk().from(), next.length()))
                .toList());
    }
}
