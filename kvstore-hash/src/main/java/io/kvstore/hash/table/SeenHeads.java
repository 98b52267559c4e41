package io.kvstore.hash.table;

import io.kvstore.value.segment.ValueRecord;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Heads of records that were read from files, by their places. A place is found with the number of its segment only, because
 * another segment has the place when there were many. For any thread.
 */
final class SeenHeads {

    private static final int RECORD_BYTES = 100;

    private final Map<Long, Seen> all = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();

    /** @param head null if the record cannot be read; it counts as another key's */
    record Seen(long segment, ValueRecord.@Nullable Head head) {}

    @Nullable
    Seen get(long place, long segment) {
        Seen seen = all.get(place);
        return seen != null && seen.segment == segment ? seen : null;
    }

    void add(long place, long segment, ValueRecord.Head head) {
        all.put(place, new Seen(segment, head));
        bytes.addAndGet(RECORD_BYTES + head.key().length);
    }

    void addDamaged(long place, long segment) {
        all.put(place, new Seen(segment, null));
        bytes.addAndGet(RECORD_BYTES);
    }

    /** About so many bytes of heap, or more than there are. */
    long bytes() {
        return bytes.get();
    }

    /** Forgets what lies in segments that have gone. */
    void forgetBefore(long segment) {
        all.values().removeIf(seen -> seen.segment < segment);
    }

    void clear() {
        bytes.set(0);
        all.clear();
    }
}
