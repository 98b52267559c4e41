package io.kvstore.client;

import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;

/** Makes calls over the connections of the pool, and repeats a call that is safe to repeat. Safe for several threads. */
final class PooledCalls implements Calls, AutoCloseable {

    private static final int ATTEMPTS = 3;
    private static final long PAUSE_MILLIS = 50;

    private final ClientOptions options;
    private final ConnectionPool pool;

    PooledCalls(ClientOptions options) {
        this.options = options;
        this.pool = new ConnectionPool(options);
    }

    /** One attempt of a call that may be repeated. */
    @FunctionalInterface
    private interface Attempt<T> {
        T make(Deadline deadline);
    }

    @Override
    public <T> T read(Call<T> call) {
        return repeat(deadline -> once(call, Purpose.READ, deadline), Purpose.READ);
    }

    /** Makes a call that may change something. */
    <T> T write(Call<T> call) {
        return repeat(deadline -> once(call, Purpose.WRITE, deadline), Purpose.WRITE);
    }

    /** Makes a call that may change something and returns nothing. */
    void writeVoid(VoidCall call) {
        write(call.asCall());
    }

    /** Opens a snapshot on a connection of its own. */
    ThriftSnapshot snapshot(int leaseMillis) {
        return repeat(deadline -> snapshotOnce(leaseMillis, deadline), Purpose.READ);
    }

    private ThriftSnapshot snapshotOnce(int leaseMillis, Deadline deadline) {
        Connection connection = pool.takeForSnapshot(deadline);
        ThriftSnapshot snapshot = null;
        try {
            snapshot = new ThriftSnapshot(
                    options,
                    pool,
                    connection,
                    connection.call(service -> service.openSnapshot(leaseMillis), Purpose.READ, deadline));
            return snapshot;
        } finally {
            if (snapshot == null) {
                pool.releaseOfSnapshot(connection);
            }
        }
    }

    private <T> T once(Call<T> call, Purpose purpose, Deadline deadline) {
        Connection connection = pool.take(purpose, deadline);
        try {
            return connection.call(call, purpose, deadline);
        } finally {
            pool.release(connection);
        }
    }

    private <T> T repeat(Attempt<T> attempt, Purpose purpose) {
        Deadline deadline = Deadline.in(options.timeoutMillis());
        for (int made = 1; ; made++) {
            try {
                return attempt.make(deadline);
            } catch (KVClientException e) {
                Deadline pause = Deadline.in(PAUSE_MILLIS * made);
                if (made == ATTEMPTS
                        || !mayRepeat(e, purpose)
                        || pause.endNanos() - deadline.endNanos() >= 0
                        || !pause.await()) {
                    throw e;
                }
            }
        }
    }

    /** Whether a call may be repeated. Its error must be retryable, its time not over, and a write must have been rejected. */
    static boolean mayRepeat(KVClientException e, Purpose purpose) {
        return e.isRetryable()
                && e.code() != ErrorCode.TIMED_OUT
                && (purpose == Purpose.READ || e.outcome() == Outcome.REJECTED);
    }

    @Override
    public void close() {
        pool.close();
    }
}
