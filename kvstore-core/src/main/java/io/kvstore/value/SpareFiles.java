package io.kvstore.value;

import io.kvstore.engine.TableContext;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Files of segments that a crash left and nothing refers to. The log has their values still and is about to write them again,
 * and to write over pages that the system has in memory costs it a tenth of what new ones do. For one thread at a time.
 *
 * <p>A file that is used again gets the name of its new segment before anything is written to it. What it still holds of its
 * former life lies behind the end of the segment, or is no record of it: checksums are seeded with the segment's number.
 *
 * <p>A file of which nothing could be written is kept here too, if it could not be deleted either.
 */
final class SpareFiles {

    private final TableContext context;
    private final Deque<String> paths = new ArrayDeque<>();

    SpareFiles(TableContext context) {
        this.context = context;
    }

    /** Keeps a file, which no list names and nobody has open. */
    void add(String path) {
        paths.add(path);
    }

    /** One of the files under its new name, as long as it was; null if there is none. */
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

    /** Deletes those that are left. */
    void delete() throws IOException {
        for (String spare = paths.peek(); spare != null; spare = paths.peek()) {
            context.storage().delete(spare);
            paths.remove();
        }
    }
}
