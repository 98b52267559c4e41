package io.kvstore.value;

import io.kvstore.io.FileAppender;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Chunks that are written together: they lie one behind the other in the file of one segment. A block is written alone, past
 * the system's cache of files.
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
        return chunks.getFirst().chunk().start();
    }

    long bytes() {
        return chunks.stream().mapToLong(ValueTail.Waiting::length).sum();
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
        for (ValueTail.Waiting next : chunks) {
            out.append(next.toBuffer());
        }
        out.flush();
        return 0;
    }
}
