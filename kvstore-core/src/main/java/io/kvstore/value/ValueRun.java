package io.kvstore.value;

import io.kvstore.io.FileAppender;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Chunks that are written together: they lie one behind the other in the file of one segment. A block is written alone, past
 * the system's cache of files.
 *
 * @param chunks at least one
 */
record ValueRun(List<TailChunk> chunks) {

    /** The most that is written before any of it leaves memory, unless one chunk has more. */
    private static final long MOST_BYTES = 2 << 20;

    /** The first of what waits. */
    static ValueRun firstOf(WaitingChunks waiting) {
        List<TailChunk> run = new ArrayList<>();
        long bytes = 0;
        for (TailChunk next = waiting.first(); next != null; next = waiting.after(next)) {
            bytes += next.length();
            if (!run.isEmpty()
                    && (bytes > MOST_BYTES
                            || next.isBlock()
                            || run.getFirst().isBlock()
                            || next.segment() != run.getFirst().segment())) {
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
        return chunks.getFirst().start();
    }

    long bytes() {
        return chunks.stream().mapToLong(TailChunk::length).sum();
    }

    /** Whether the segment ends with it. */
    boolean isLast() {
        return chunks.getLast().isLast();
    }

    private boolean isBlock() {
        return chunks.getFirst().isBlock();
    }

    /** What adds them to the file; a block does not go through its buffer. */
    FileAppender appender(StorageFile file) {
        return new FileAppender(file, start(), isBlock() ? 1 : bytes());
    }

    /** Adds them to the file; how many bytes went past the cache. */
    long appendTo(FileAppender out) throws IOException {
        if (isBlock()) {
            return out.appendUncached(chunks.getFirst().toBuffer());
        }
        for (TailChunk next : chunks) {
            out.append(next.toBuffer());
        }
        out.flush();
        return 0;
    }
}
