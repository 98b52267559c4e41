package io.kvstore.client.embedded;

import io.kvstore.Table;
import io.kvstore.client.ClientRange;
import io.kvstore.client.EntryPage;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import io.kvstore.client.TaggedValue;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import io.kvstore.data.ValueTag;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a table as it is now. */
record EmbeddedReader(Access access, String database, String name) implements TableReader {

    /** The table, which must exist. */
    Table table() {
        return access.table(database, name);
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return access.<byte @Nullable []>call(() -> table().get(Requests.key(key)));
    }

    @Override
    public @Nullable TaggedValue getTagged(byte[] key) {
        byte[] value = get(key);
        return value == null ? null : new TaggedValue(value, ValueTag.of(value));
    }

    @Override
    public List<byte @Nullable []> getAll(List<byte[]> keys) {
        return access.call(() -> table().getAll(Requests.keys(keys)));
    }

    @Override
    public boolean contains(byte[] key) {
        return get(key) != null;
    }

    @Override
    public EntryPage page(ScanOptions options) {
        return access.call(() -> {
            Table table = tableOf(options);
            return Pages.read(table, options, table::scan);
        });
    }

    /** A missing table was dropped if the scan goes on, because it was there when the scan began. */
    private Table tableOf(ScanOptions options) {
        try {
            return table();
        } catch (KVClientException e) {
            throw options.continuation() != null && e.code() == ErrorCode.TABLE_NOT_FOUND
                    ? Continuation.dropped(name)
                    : e;
        }
    }

    @Override
    public long count(ClientRange range) {
        return access.call(() -> table().count(Requests.range(range)));
    }
}
