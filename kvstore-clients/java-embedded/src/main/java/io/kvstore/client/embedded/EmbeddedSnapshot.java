package io.kvstore.client.embedded;

import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.client.ClientRange;
import io.kvstore.client.ClientSnapshot;
import io.kvstore.client.EntryPage;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import io.kvstore.client.TaggedValue;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import io.kvstore.data.ValueTag;
import io.kvstore.error.StoreClosedException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A snapshot of the store. It lives until it, the client or the store is closed. Its lease has no effect. */
final class EmbeddedSnapshot implements ClientSnapshot {

    private static final int LEASE_MILLIS = 60_000;
    private static final int LEASE_MILLIS_MIN = 1_000;
    private static final int LEASE_MILLIS_MAX = 3_600_000;

    private final Access access;
    private final Snapshot snapshot;
    private final int leaseMillis;

    private EmbeddedSnapshot(Access access, Snapshot snapshot, int leaseMillis) {
        this.access = access;
        this.snapshot = snapshot;
        this.leaseMillis = leaseMillis;
    }

    static EmbeddedSnapshot open(Access access, int leaseMillis) {
        int given = leaseMillis == 0 ? LEASE_MILLIS : leaseMillis;
        if (given < LEASE_MILLIS_MIN || given > LEASE_MILLIS_MAX) {
            throw KVClientException.invalid(
                    "leaseMillis is " + given + "; give 0, or " + LEASE_MILLIS_MIN + " to " + LEASE_MILLIS_MAX);
        }
        return new EmbeddedSnapshot(access, access.snapshot(), given);
    }

    @Override
    public TableReader table(String database, String table) {
        return new Reader(this, database, table);
    }

    @Override
    public int leaseMillis() {
        return leaseMillis;
    }

    @Override
    public void close() {
        access.end(snapshot);
    }

    private <T extends @Nullable Object> T read(Reader of, Function<Table, T> read) {
        return access.call(() -> {
            try {
                return read.apply(access.table(of.database(), of.name()));
            } catch (StoreClosedException e) {
                throw Failures.as(ErrorCode.SNAPSHOT_EXPIRED, e);
            }
        });
    }

    private record Reader(EmbeddedSnapshot of, String database, String name) implements TableReader {

        @Override
        public byte @Nullable [] get(byte[] key) {
            return of.<byte @Nullable []>read(this, table -> of.snapshot.get(table, Requests.key(key)));
        }

        @Override
        public @Nullable TaggedValue getTagged(byte[] key) {
            byte[] value = get(key);
            return value == null ? null : new TaggedValue(value, ValueTag.of(value));
        }

        @Override
        public List<byte @Nullable []> getAll(List<byte[]> keys) {
            return of.read(this, table -> of.snapshot.getAll(table, Requests.keys(keys)));
        }

        @Override
        public boolean contains(byte[] key) {
            return get(key) != null;
        }

        @Override
        public EntryPage page(ScanOptions options) {
            return of.read(this, table -> Pages.read(table, options, range -> of.snapshot.scan(table, range)));
        }

        @Override
        public long count(ClientRange range) {
            return of.read(this, table -> of.snapshot.count(table, Requests.range(range)));
        }
    }
}
