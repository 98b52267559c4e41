package io.kvstore.bplus.buffer;

import io.kvstore.error.CorruptionException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The pages to which a page above leads that cannot be above them: they are nowhere, or of another level. */
final class RefusedPages {

    private final Map<Long, Boolean> ids = new ConcurrentHashMap<>();

    void add(long id) {
        ids.put(id, true);
    }

    /** Called when the id may be given to another page. */
    void remove(long id) {
        if (!ids.isEmpty()) {
            ids.remove(id);
        }
    }

    void requireOther(String file, long id) {
        if (!ids.isEmpty() && ids.containsKey(id)) {
            throw new CorruptionException(
                    file, -1, "a page leads to page " + id + ", which is not one of the level below");
        }
    }
}
