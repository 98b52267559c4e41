package io.kvstore.wal.segment;

import io.kvstore.error.Closing;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Files of the log that nothing needs any more but that still exist, because their deletion failed or was not tried yet. A file
 * is noted here before any step that can fail, so no exception makes the log forget a file. Safe for use by several threads.
 */
final class LeftOvers {

    private final Storage storage;

    // guarded by itself; this lock is never held during I/O
    private final Map<String, Long> bytesByPath = new LinkedHashMap<>();

    LeftOvers(Storage storage) {
        this.storage = storage;
    }

    void add(String path, long bytes) {
        synchronized (bytesByPath) {
            bytesByPath.put(path, bytes);
        }
    }

    void forget(String path) {
        synchronized (bytesByPath) {
            bytesByPath.remove(path);
        }
    }

    /** Deletes a file. A file that cannot be deleted stays noted for {@link #retry}. */
    void delete(String path, long bytes) throws IOException {
        add(path, bytes);
        storage.delete(path);
        forget(path);
    }

    /** Tries once more to delete every noted file, then throws the first failure. Returns whether any file was deleted. */
    boolean retry() throws IOException {
        List<Map.Entry<String, Long>> all;
        synchronized (bytesByPath) {
            all = List.copyOf(bytesByPath.entrySet());
        }
        try (Closing closing = new Closing("files of the log could not be deleted")) {
            for (Map.Entry<String, Long> file : all) {
                try {
                    delete(file.getKey(), file.getValue());
                } catch (IOException e) {
                    closing.note(e);
                }
            }
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
