package io.kvstore.server.thrift;

import io.kvstore.KVStore;
import io.kvstore.Snapshot;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The snapshots that clients opened, each until its lease runs out. Ids are random, so that a client cannot guess the id of
 * another. Safe for use by several threads.
 */
final class Leases {

    private final KVStore store;
    private final SecureRandom random = new SecureRandom();
    private final Map<Long, Lease> byId = new ConcurrentHashMap<>();

    Leases(KVStore store) {
        this.store = store;
    }

    /** A snapshot and the number of calls that use it. The snapshot is closed when the lease is over and no call uses it. */
    private static final class Lease {

        private final Snapshot snapshot;
        private final Session owner;
        private final long nanos;
        private long lastUseNanos = System.nanoTime();
        private int users;
        private boolean over;

        Lease(Snapshot snapshot, Session owner, long nanos) {
            this.snapshot = snapshot;
            this.owner = owner;
            this.nanos = nanos;
        }

        synchronized boolean begin() {
            if (over) {
                return false;
            }
            users++;
            return true;
        }

        synchronized void finish() {
            users--;
            lastUseNanos = System.nanoTime();
            closeIfUnused();
        }

        synchronized void end() {
            over = true;
            closeIfUnused();
        }

        synchronized boolean hasRunOut(long nowNanos) {
            return users == 0 && nowNanos - lastUseNanos > nanos;
        }

        private void closeIfUnused() {
            if (over && users == 0) {
                snapshot.close();
            }
        }
    }

    /** A snapshot in use. */
    static final class Use implements AutoCloseable {

        private final Lease lease;

        private Use(Lease lease) {
            this.lease = lease;
        }

        Snapshot snapshot() {
            return lease.snapshot;
        }

        @Override
        public void close() {
            lease.finish();
        }
    }

    /** Opens a snapshot and returns its id. */
    long open(Session session, int leaseMillis) {
        session.snapshotIds().removeIf(id -> !byId.containsKey(id));
        checkRoom("this connection has", session.snapshotIds().size(), Limits.SNAPSHOTS_OF_CONNECTION);
        checkRoom("the server has", byId.size(), Limits.SNAPSHOTS);
        Lease lease = new Lease(store.snapshot(), session, TimeUnit.MILLISECONDS.toNanos(leaseMillis));
        long id = random.nextLong();
        while (byId.putIfAbsent(id, lease) != null) {
            id = random.nextLong();
        }
        session.snapshotIds().add(id);
        return id;
    }

    private static void checkRoom(String who, int open, int limit) {
        if (open >= limit) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.OVERLOADED,
                    who + " " + open + " open snapshots; at most " + limit + " are given: close some",
                    limit,
                    open));
        }
    }

    /** Begins to use a snapshot. It stays open until the use is closed. */
    Use use(long id) {
        Lease lease = byId.get(id);
        if (lease == null || !lease.begin()) {
            throw new ProblemException(Problem.of(
                    ProblemCode.SNAPSHOT_EXPIRED,
                    "the snapshot was closed, its lease ran out or its connection ended: open another"));
        }
        return new Use(lease);
    }

    /** Ends a snapshot, if it exists. */
    void close(long id) {
        Lease lease = byId.remove(id);
        if (lease != null) {
            lease.end();
        }
    }

    /** Ends the snapshots that were unused for longer than their lease. */
    void endIdle(long nowNanos) {
        byId.forEach((id, lease) -> {
            if (lease.hasRunOut(nowNanos)) {
                close(id);
            }
        });
    }

    /** Whether a connection has an open snapshot. */
    boolean areAnyOf(Session session) {
        return byId.values().stream().anyMatch(lease -> lease.owner == session);
    }

    /** The number of open snapshots. */
    int size() {
        return byId.size();
    }

    /** Ends all snapshots. */
    void closeAll() {
        byId.keySet().forEach(this::close);
    }
}
