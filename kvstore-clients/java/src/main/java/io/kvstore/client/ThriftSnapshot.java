package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import io.kvstore.thrift.SnapshotLease;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A snapshot of the server. It ends with its connection, so no call is repeated. {@code lock} guards the connection and {@code
 * closed}. Readers take turns by it.
 */
final class ThriftSnapshot implements ClientSnapshot, Calls {

    private final ClientOptions options;
    private final ConnectionPool pool;
    private final Connection connection;
    private final SnapshotLease lease;
    private final ReentrantLock lock = new ReentrantLock(true);
    private boolean closed;

    ThriftSnapshot(ClientOptions options, ConnectionPool pool, Connection connection, SnapshotLease lease) {
        this.options = options;
        this.pool = pool;
        this.connection = connection;
        this.lease = lease;
    }

    @Override
    public TableReader table(String database, String table) {
        return new ThriftReader(this, database, table, lease.getSnapshotId());
    }

    @Override
    public int leaseMillis() {
        return lease.getLeaseMillis();
    }

    @Override
    public <T> T read(Call<T> call) {
        Deadline deadline = Deadline.in(options.timeoutMillis());
        enter(deadline);
        try {
            if (closed) {
                throw Failures.snapshotExpired("the snapshot is closed");
            }
            if (connection.isBroken()) {
                throw Failures.snapshotExpired("the snapshot ended with its connection; open another");
            }
            return connection.call(call, Purpose.READ, deadline);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        Deadline deadline = Deadline.in(options.timeoutMillis());
        if (!lock.tryLock()) {
            connection.close(); // the call under way fails, and nobody waits for its answer
            lock.lock();
        }
        try {
            if (closed) {
                return;
            }
            closed = true;
            if (!connection.isBroken()) {
                VoidCall close = service -> service.closeSnapshot(lease.getSnapshotId());
                connection.call(close.asCall(), Purpose.READ, deadline);
            }
        } catch (KVClientException e) {
            // The connection is closed next, and with it the server ends the snapshot.
        } finally {
            pool.releaseOfSnapshot(connection);
            lock.unlock();
        }
    }

    private void enter(Deadline deadline) {
        try {
            if (!lock.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw Failures.timedOut("the snapshot's connection is in use");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failures.interrupted("the thread was interrupted while it waited for the snapshot's connection");
        }
    }
}
