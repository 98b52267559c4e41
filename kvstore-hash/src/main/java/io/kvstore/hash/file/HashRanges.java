package io.kvstore.hash.file;

import java.util.Map;
import java.util.TreeMap;

/** Ranges of the first 32 bits of hashes. Those that touch each other become one. */
final class HashRanges {

    /** The end of each range, by its beginning, as unsigned numbers. */
    private final TreeMap<Long, Long> ends = new TreeMap<>();

    /** Adds all that begin with the first {@code depth} bits of a prefix. */
    void add(int prefix, int depth) {
        long length = 1L << (Integer.SIZE - Math.min(depth, Integer.SIZE));
        long from = Integer.toUnsignedLong(prefix) & -length;
        long to = from + length;
        Map.Entry<Long, Long> before = ends.floorEntry(from);
        if (before != null && before.getValue() >= from) {
            from = before.getKey();
            to = Math.max(to, before.getValue());
        }
        Map.Entry<Long, Long> next = ends.higherEntry(from);
        while (next != null && next.getKey() <= to) {
            to = Math.max(to, next.getValue());
            ends.remove(next.getKey());
            next = ends.higherEntry(from);
        }
        ends.put(from, to);
    }

    boolean contains(int firstBits) {
        long bits = Integer.toUnsignedLong(firstBits);
        Map.Entry<Long, Long> range = ends.floorEntry(bits);
        return range != null && bits < range.getValue();
    }
}
