package io.kvstore.durability;

import io.kvstore.data.Clock;
import io.kvstore.engine.Snapshots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The open snapshots and cursors, with the lsn each one sees and when it was opened. Safe for use by several threads. */
final class SnapshotRegistry implements Snapshots {

    private final Clock clock;
    private final Map<AutoCloseable, Opened> open = new LinkedHashMap<>();

    private volatile long newestLsn;

    private record Opened(long lsn, long atNanos) {}

    SnapshotRegistry(Clock clock) {
        this.clock = clock;
    }

    /** Adds one; the caller holds the write locks of the tables it sees. */
    synchronized void add(AutoCloseable reader, long lsn) {
        open.put(reader, new Opened(lsn, clock.nanoTime()));
        newestLsn = Math.max(newestLsn, lsn);
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
        open.remove(reader);
        newestLsn = open.values().stream().mapToLong(Opened::lsn).max().orElse(0);
    }

    @Override
    public long newestLsn() {
        return newestLsn;
    }

    @Override
    public synchronized long[] openLsns() {
        return open.values().stream().mapToLong(Opened::lsn).sorted().distinct().toArray();
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
