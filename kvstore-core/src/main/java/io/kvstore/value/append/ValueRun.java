package io.kvstore.value.append;

import io.kvstore.io.FileAppender;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Chunks, at least one, that are written together because they are adjacent in the file of one segment. A block is written
 * alone, past the system's cache of files.
 */
record ValueRun(List<TailChunk> chunks) {

    /** The largest number of bytes that is written before memory is released. A single chunk may be longer. */
    private static final long MOST_BYTES = 2 << 20;

    /** The longest run at the head of the waiting chunks. */
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

    long start() {
        return chunks.getFirst().start();
    }

    long bytes() {
        return chunks.stream().mapToLong(TailChunk::length).sum();
    }

    boolean isLast() {
        return chunks.getLast().isLast();
    }

    private boolean isBlock() {
        return chunks.getFirst().isBlock();
    }

    /** The appender for this run. A block does not go through its buffer. */
    FileAppender appender(StorageFile file) {
        return new FileAppender(file, start(), isBlock() ? 1 : bytes());
    }

    /** Appends the chunks to the file. Returns how many bytes went past the cache. */
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
