package io.kvstore.value;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The segments of a {@link ValueStore} by number. Who looks one up takes no lock. */
final class StoredSegments {

    private volatile Index index = new Index(1, new StoredSegment[0]);

    private record Index(long first, @Nullable StoredSegment[] segments) {}

    /** The segment, or null if there is none of that number any more. */
    @Nullable
    StoredSegment get(long number) {
        Index now = index;
        long at = number - now.first;
        return at >= 0 && at < now.segments.length ? now.segments[(int) at] : null;
    }

    synchronized void add(StoredSegment segment) {
        List<StoredSegment> all = all();
        all.add(segment);
        set(all);
    }

    synchronized void remove(long number) {
        List<StoredSegment> all = all();
        all.removeIf(segment -> segment.number() == number);
        set(all);
    }

    private void set(List<StoredSegment> all) {
        if (all.isEmpty()) {
            index = new Index(1, new StoredSegment[0]);
            return;
        }
        long first = all.getFirst().number();
        StoredSegment[] segments =
                new StoredSegment[Math.toIntExact(all.getLast().number() - first + 1)];
        all.forEach(segment -> segments[(int) (segment.number() - first)] = segment);
        index = new Index(first, segments);
    }

    /** All of them, by number. */
    List<StoredSegment> all() {
        List<StoredSegment> all = new ArrayList<>();
        for (StoredSegment segment : index.segments) {
            if (segment != null) {
                all.add(segment);
            }
        }
        return all;
    }
}
