package io.kvstore.value.append;

import io.kvstore.engine.TableContext;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Files of segments that a crash left and nothing refers to. Replay of the log is about to write their values again. To write
 * over pages that the system has in memory costs it a tenth of the cost of new pages, so the files are used again. For one
 * thread at a time.
 *
 * <p>A file that is used again gets the name of its new segment before anything is written to it. Its old content lies behind
 * the end of the new segment, or is no valid record of it, because checksums are seeded with the segment's number.
 *
 * <p>A file into which no byte could be written is kept here too, if it could not be deleted either.
 */
final class SpareFiles {

    private final TableContext context;
    private final Deque<String> paths = new ArrayDeque<>();

    SpareFiles(TableContext context) {
        this.context = context;
    }

    /** Keeps a file. No list names the file, and nobody has it open. */
    void add(String path) {
        paths.add(path);
    }

    /** Takes one of the files and gives it the new name; its length stays. Returns null if there is none. */
    @Nullable
    StorageFile take(String path) throws IOException {
        String spare = paths.peek();
        if (spare == null) {
            return null;
        }
        context.storage().rename(spare, path);
        paths.remove();
        return context.storage().open(path);
    }

    /** Deletes the files that were not used again. */
    void delete() throws IOException {
        for (String spare = paths.peek(); spare != null; spare = paths.peek()) {
            context.storage().delete(spare);
            paths.remove();
        }
    }
}
