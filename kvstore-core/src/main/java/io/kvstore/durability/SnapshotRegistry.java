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

/** The open snapshots and cursors, with the lsn each one sees and when it was opened. Safe for use by several threads. */
final class SnapshotRegistry implements Snapshots {

    private final Clock clock;
    private final Map<AutoCloseable, Opened> open = new LinkedHashMap<>();

    /** How many see each lsn: a snapshot that is closed is not looked for among all others. */
    private final NavigableMap<Long, Integer> countsByLsn = new TreeMap<>();

    private volatile long newestLsn;

    private record Opened(long lsn, long atNanos) {}

    SnapshotRegistry(Clock clock) {
        this.clock = clock;
    }

    /** Adds one; the caller holds the write locks of the tables it sees. */
    synchronized void add(AutoCloseable reader, long lsn) {
        Opened opened = new Opened(lsn, clock.nanoTime());
        countsByLsn.merge(lsn, 1, Integer::sum);
        Opened uncounted = opened;
        try {
            uncounted = open.put(reader, opened);
        } finally {
            forget(uncounted); // the one before, or this one if it could not be added
            newestLsn = newest();
        }
    }

    private long newest() {
        return countsByLsn.isEmpty() ? 0 : countsByLsn.lastKey();
    }

    /**
     * Adds one that sees what is durable, and returns its lsn. Who asked for the open lsns before this one was among them, and
     * saw that more is durable, relies on it that this one sees no less: so it is looked at again once it is among them.
     *
     * @param durable what there is to be seen now; goes up, and not for ever
     */
    long addDurable(AutoCloseable reader, LongSupplier durable) {
        long lsn;
        long now = durable.getAsLong();
        do {
            lsn = now;
            add(reader, lsn);
            now = durable.getAsLong();
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
