package io.kvstore.client;

import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The connections of a client. Each connection that is lent holds a slot. A connection of a snapshot holds none. The pool has
 * no lock: the thread that closes the pool and a thread that gives a connection back both close the idle connections. Safe for
 * several threads.
 */
final class ConnectionPool implements AutoCloseable {

    private static final long PING_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long WATCH_MILLIS = 250;

    private final ClientOptions options;
    private final Semaphore slots;
    private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private final Set<Connection> ofSnapshots = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService watch;
    private volatile boolean closed;

    ConnectionPool(ClientOptions options) {
        this.options = options;
        this.slots = new Semaphore(options.pool(), true);
        this.watch = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "kvstore-client-watch");
            thread.setDaemon(true);
            return thread;
        });
        var unused = watch.scheduleWithFixedDelay(
                () -> open.forEach(Connection::closeIfOverdue), WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Lends a connection. Waits for a free slot until the deadline. {@link #release} takes the connection back. */
    Connection take(Purpose purpose, Deadline deadline) {
        awaitSlot(deadline);
        Connection connection = null;
        try {
            connection = idleOrNew(purpose, deadline);
            return connection;
        } finally {
            if (connection == null) {
                slots.release();
            }
        }
    }

    private void awaitSlot(Deadline deadline) {
        try {
            if (!slots.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw Failures.timedOut("all " + options.pool() + " connections of the pool are in use");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failures.interrupted("the thread was interrupted while it waited for a connection");
        }
    }

    private Connection idleOrNew(Purpose purpose, Deadline deadline) {
        while (true) {
            Connection connection = idle.pollFirst();
            if (connection == null) {
                return open(deadline);
            }
            boolean stale = purpose == Purpose.WRITE && connection.idleNanos() > PING_AFTER_NANOS;
            if (!stale || connection.answers(deadline.atMost(options.connectTimeoutMillis()))) {
                return connection;
            }
            discard(connection);
        }
    }

    private Connection open(Deadline deadline) {
        if (closed) {
            throw Failures.closed();
        }
        Connection connection = Connection.open(options, deadline);
        open.add(connection);
        return connection;
    }

    /** Takes a connection back. If the server ended it, closes the idle connections too. */
    void release(Connection connection) {
        if (connection.isPeerGone()) {
            closeIdle();
        }
        if (connection.isBroken()) {
            discard(connection);
        } else {
            idle.addFirst(connection);
        }
        if (closed) {
            closeIdle();
        }
        slots.release();
    }

    /** Opens a connection that a snapshot keeps, without a slot. {@link #releaseOfSnapshot} takes the connection back. */
    Connection takeForSnapshot(Deadline deadline) {
        Connection connection = open(deadline);
        ofSnapshots.add(connection);
        if (closed) {
            releaseOfSnapshot(connection);
            throw Failures.closed();
        }
        return connection;
    }

    /** Closes the connection of a snapshot. */
    void releaseOfSnapshot(Connection connection) {
        ofSnapshots.remove(connection);
        discard(connection);
    }

    /** Closes the idle connections and those of snapshots now. A connection that is lent is closed when it comes back. */
    @Override
    public void close() {
        closed = true;
        watch.shutdown();
        closeIdle();
        ofSnapshots.forEach(this::releaseOfSnapshot);
    }

    private void closeIdle() {
        for (Connection connection = idle.pollFirst(); connection != null; connection = idle.pollFirst()) {
            discard(connection);
        }
    }

    private void discard(Connection connection) {
        open.remove(connection);
        connection.close();
    }
}
