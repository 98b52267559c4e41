package io.kvstore.value;

import io.kvstore.io.FileAppender;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Chunks that are written together: they lie one behind the other in the file of one segment.
 *
 * @param chunks at least one
 * @param isUncached whether they go past the system's cache of files
 */
record ValueRun(List<ValueTail.Waiting> chunks, boolean isUncached) {

    /** The most that is written before any of it leaves memory, unless one chunk has more. */
    private static final long MOST_BYTES = 2 << 20;

    /** The same past the cache: who writes waits for the disk and then for a processor, so there is more to wait for. */
    private static final long MOST_UNCACHED_BYTES = 4 << 20;

    /** The first of what waits. */
    static ValueRun firstOf(Queue<ValueTail.Waiting> waiting, boolean isUncached) {
        long most = isUncached ? MOST_UNCACHED_BYTES : MOST_BYTES;
        List<ValueTail.Waiting> run = new ArrayList<>();
        long bytes = 0;
        for (ValueTail.Waiting next : waiting) {
            bytes += next.length();
            if (!run.isEmpty()
                    && (bytes > most || next.segment() != run.getFirst().segment())) {
                break;
            }
            run.add(next);
        }
        return new ValueRun(run, isUncached);
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

    /** What adds them to the file; past the cache nothing goes through its buffer. */
    FileAppender appender(StorageFile file) {
        return new FileAppender(file, start(), isUncached ? 1 : bytes());
    }

    /** Adds them to the file; how many bytes went past the cache. */
    long appendTo(FileAppender out) throws IOException {
        if (isUncached) {
            return out.appendUncached(chunks.stream()
                    .map(next ->
                            ByteBuffer.wrap(next.chunk().bytes(), next.chunk().from(), next.length()))
                    .toList());
        }
        for (ValueTail.Waiting next : chunks) {
            out.append(next.chunk().bytes(), next.chunk().from(), next.length());
        }
        out.flush();
        return 0;
    }
}
