package io.kvstore.hash.maintenance;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The parts of segments that a check has told of, up to a bound. For one thread. */
final class LostParts {

    /** Some 10 MiB of heap. */
    private static final int MOST = 100_000;

    /** For each segment where its parts begin, and where each ends. */
    private final Map<Long, NavigableMap<Long, Long>> ends = new HashMap<>();

    private int count;

    void add(long segment, long from, long to) {
        if (count < MOST) {
            count++;
            ends.computeIfAbsent(segment, number -> new TreeMap<>()).put(from, to);
        }
    }

    boolean has(long segment, long offset) {
        NavigableMap<Long, Long> ofSegment = ends.get(segment);
        Map.Entry<Long, Long> before = ofSegment == null ? null : ofSegment.floorEntry(offset);
        return before != null && offset < before.getValue();
    }
}
