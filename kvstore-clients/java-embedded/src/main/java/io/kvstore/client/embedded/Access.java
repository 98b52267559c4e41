package io.kvstore.client.embedded;

import io.kvstore.KVStore;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.NotFoundException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The store as the client sees it: it can be closed, and it has the errors of a client. Safe for several threads. */
final class Access implements AutoCloseable {

    private final KVStore store;
    private final Set<Snapshot> snapshots = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    Access(KVStore store) {
        this.store = store;
    }

    KVStore store() {
        return store;
    }

    /** Makes a call, unless the client is closed. Turns an error of the store into an error of the client. */
    <T extends @Nullable Object> T call(Supplier<T> call) {
        if (closed) {
            throw KVClientException.of(
                    ErrorReport.of(ErrorCode.CONNECTION_FAILED, Outcome.REJECTED, "the client is closed"));
        }
        try {
            return call.get();
        } catch (KVStoreException e) {
            throw Failures.of(e);
        }
    }

    /** Makes a call that returns nothing. */
    void run(Runnable call) {
        call(() -> {
            call.run();
            return true;
        });
    }

    /** A table that must exist. */
    Table table(String database, String table) {
        try {
            return store.table(database, table);
        } catch (NotFoundException e) {
            throw notFound(database, e);
        }
    }

    /** The error of a missing database or of a missing table. */
    KVClientException notFound(String database, NotFoundException cause) {
        boolean known = store.databases().contains(database);
        return Failures.as(known ? ErrorCode.TABLE_NOT_FOUND : ErrorCode.DATABASE_NOT_FOUND, cause);
    }

    /** Opens a snapshot that ends with the client at the latest. */
    Snapshot snapshot() {
        Snapshot snapshot = call(store::snapshot);
        snapshots.add(snapshot);
        if (closed) {
            end(snapshot);
        }
        return snapshot;
    }

    void end(Snapshot snapshot) {
        snapshots.remove(snapshot);
        snapshot.close();
    }

    @Override
    public void close() {
        closed = true;
        snapshots.forEach(this::end);
    }
}
