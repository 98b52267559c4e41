package io.kvstore.durability;

import io.kvstore.data.Clock;
import io.kvstore.engine.Snapshots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The open snapshots and cursors, each with its lsn and the time when it was opened. Safe for use by several threads. */
final class SnapshotRegistry implements Snapshots {

    private final Clock clock;
    private final Map<AutoCloseable, Opened> open = new LinkedHashMap<>();

    /** How many readers see each lsn. So a reader is closed without a search among all others. */
    private final NavigableMap<Long, Integer> countsByLsn = new TreeMap<>();

    private volatile long newestLsn;

    private record Opened(long lsn, long atNanos) {}

    SnapshotRegistry(Clock clock) {
        this.clock = clock;
    }

    /** Adds a reader. The caller holds the write locks of the tables that it sees. */
    synchronized void add(AutoCloseable reader, long lsn) {
        Opened opened = new Opened(lsn, clock.nanoTime());
        countsByLsn.merge(lsn, 1, Integer::sum);
        Opened uncounted = opened;
        try {
            uncounted = open.put(reader, opened);
        } finally {
            forget(uncounted); // the previous entry of the reader, or this one if it could not be added
            newestLsn = newest();
        }
    }

    private long newest() {
        return countsByLsn.isEmpty() ? 0 : countsByLsn.lastKey();
    }

    /**
     * Adds a reader and returns its lsn. A thread that asked for the open lsns before this one was added, and saw a higher
     * last lsn, relies on this reader to see at least that. So the last lsn is read again after the reader was added, until
     * it does not change.
     *
     * @param last gives the last lsn to be seen, such as the durable one; it may go up, but not for ever
     */
    long addNewest(AutoCloseable reader, LongSupplier last) {
        long lsn;
        long now = last.getAsLong();
        do {
            lsn = now;
            add(reader, lsn);
            now = last.getAsLong();
        } while (now != lsn);
        return lsn;
    }

    synchronized void remove(AutoCloseable reader) {
        forget(open.remove(reader));
        newestLsn = newest();
    }

    private void forget(@Nullable Opened opened) {
        if (opened != null) {
            countsByLsn.computeIfPresent(opened.lsn(), (lsn, count) -> count == 1 ? null : count - 1);
        }
    }

    @Override
    public long newestLsn() {
        return newestLsn;
    }

    @Override
    public synchronized long[] openLsns() {
        return countsByLsn.keySet().stream().mapToLong(Long::longValue).toArray();
    }

    synchronized int count() {
        return open.size();
    }

    synchronized long oldestAgeMillis() {
        long now = clock.nanoTime();
        return open.values().stream()
                .mapToLong(opened -> (now - opened.atNanos()) / 1_000_000)
                .max()
                .orElse(0);
    }

    synchronized List<AutoCloseable> all() {
        return new ArrayList<>(open.keySet());
    }
}
