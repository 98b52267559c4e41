package io.kvstore.hash.maintenance;

import io.kvstore.engine.Findings;
import io.kvstore.hash.table.TableState;
import io.kvstore.value.append.StoredSegment;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Counts the live bytes of each segment again, during a walk over the index beside writers. A segment that gets no more records
 * has less and less live bytes. So what the walk finds lies between what the segment counts after the walk and before it, and
 * is that figure if both are the same. A segment that gets records meanwhile is not looked at.
 */
final class LiveCheck {

    private final TableState state;
    private final Map<Long, Counted> before;
    private final Map<Long, Long> found = new HashMap<>();
    private final Set<Long> unreadable = new HashSet<>();

    /** What a segment says. */
    private record Counted(long endBytes, long liveBytes) {}

    LiveCheck(TableState state) throws IOException {
        this.state = state;
        this.before = counted();
    }

    private Map<Long, Counted> counted() throws IOException {
        return state.settled(() -> {
            Map<Long, Counted> result = new HashMap<>();
            for (StoredSegment segment : state.records().values().log().segments()) {
                result.put(segment.number(), new Counted(segment.end(), segment.liveBytes()));
            }
            return result;
        });
    }

    /** An entry leads to a record. */
    void add(long place, long recordBytes) {
        found.merge(state.records().segment(place), recordBytes, Long::sum);
    }

    /** An entry leads to a record whose length nobody knows. */
    void addUnreadable(long place) {
        unreadable.add(state.records().segment(place));
    }

    void report(Findings findings) throws IOException {
        Map<Long, Counted> after = counted();
        before.forEach((number, counted) -> {
            Counted now = after.get(number);
            if (now != null && now.endBytes == counted.endBytes && !unreadable.contains(number)) {
                compare(number, counted, now, findings);
            }
        });
    }

    private void compare(long number, Counted counted, Counted now, Findings findings) {
        long bytes = found.getOrDefault(number, 0L);
        if (bytes > counted.liveBytes || bytes < now.liveBytes) {
            long nearest = bytes < now.liveBytes ? now.liveBytes : counted.liveBytes;
            findings.report(
                    state.records().values().log().path(number),
                    -1,
                    "counts " + nearest + " bytes of its records as alive, and entries lead to " + bytes);
        }
    }
}
