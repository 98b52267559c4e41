package io.kvstore.wal;

import io.kvstore.io.Storage;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Files of the log that nothing needs any more and that are still there, because deleting them failed or has not been tried.
 * A file is noted here before anything is done with it, so none is forgotten, whatever is thrown in between. Safe for use by
 * several threads.
 */
final class LeftOvers {

    private final Storage storage;

    // guarded by itself, which is never held during I/O
    private final Map<String, Long> bytesByPath = new LinkedHashMap<>();

    LeftOvers(Storage storage) {
        this.storage = storage;
    }

    /** Notes a file that is to go. */
    void add(String path, long bytes) {
        synchronized (bytesByPath) {
            bytesByPath.put(path, bytes);
        }
    }

    /** The file is none of them any more: it is gone, or lives again. */
    void forget(String path) {
        synchronized (bytesByPath) {
            bytesByPath.remove(path);
        }
    }

    /** Deletes a file; if that fails, it is noted for {@link #retry}. */
    void delete(String path, long bytes) throws IOException {
        add(path, bytes);
        storage.delete(path);
        forget(path);
    }

    /** Tries all once more, whatever fails, and throws the first failure at the end. Returns whether any is gone now. */
    boolean retry() throws IOException {
        List<Map.Entry<String, Long>> all;
        synchronized (bytesByPath) {
            all = List.copyOf(bytesByPath.entrySet());
        }
        IOException first = null;
        for (Map.Entry<String, Long> file : all) {
            try {
                delete(file.getKey(), file.getValue());
            } catch (IOException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
        return !all.isEmpty();
    }

    int count() {
        synchronized (bytesByPath) {
            return bytesByPath.size();
        }
    }

    long bytes() {
        synchronized (bytesByPath) {
            return bytesByPath.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
