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
    private final NavigableMap<Long, int[]> countsByLsn = new TreeMap<>();

    /** @param lsn the key in {@link #countsByLsn}, so that a reader is forgotten without memory for another one */
    private record Opened(Long lsn, long atNanos) {}

    SnapshotRegistry(Clock clock) {
        this.clock = clock;
    }

    /**
     * Adds a reader and returns its lsn. A thread that asked for the open lsns before, and knew of an applied operation, relies
     * on this reader to see that operation. So the lsn is read while no thread is told which lsns are open.
     *
     * @param last gives the lsn of the last operation that was applied as a whole, or the durable one where the table's engine
     *     looks back; must return at once
     */
    synchronized long add(AutoCloseable reader, LongSupplier last) {
        long lsn = last.getAsLong();
        Opened opened = new Opened(lsn, clock.nanoTime());
        countsByLsn.computeIfAbsent(opened.lsn(), at -> new int[1])[0]++;
        Opened uncounted = opened;
        try {
            uncounted = open.put(reader, opened);
        } finally {
            forget(uncounted); // the previous entry of the reader, or this one if it could not be added
        }
        return lsn;
    }

    synchronized void remove(AutoCloseable reader) {
        forget(open.remove(reader));
    }

    private void forget(@Nullable Opened opened) {
        if (opened != null) {
            countsByLsn.computeIfPresent(opened.lsn(), (lsn, count) -> --count[0] == 0 ? null : count);
        }
    }

    @Override
    public synchronized long newestLsn() {
        return countsByLsn.isEmpty() ? 0 : countsByLsn.lastKey();
    }

    @Override
    public synchronized long[] openLsns() {
        return countsByLsn.keySet().stream().mapToLong(Long::longValue).toArray();
    }

    @Override
    public synchronized int count() {
        return open.size();
    }

    @Override
    public synchronized long oldestAgeMillis() {
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
