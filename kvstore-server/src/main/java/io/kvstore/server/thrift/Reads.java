package io.kvstore.server.thrift;

import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.data.ValueTag;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.TableName;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls that read. Safe for use by several threads. */
final class Reads {

    private final Tables tables;
    private final Leases leases;
    private final LongWork longWork;
    private final int maxFrameBytes;

    Reads(Edge edge, Leases leases, int maxFrameBytes) {
        this.tables = edge.tables();
        this.leases = leases;
        this.longWork = new LongWork(edge.lifecycle());
        this.maxFrameBytes = maxFrameBytes;
    }

    /** The memory of the answers of one connection. */
    interface Room {

        /** Takes the memory that a value of an answer needs, or refuses the call. */
        void take(int bytes);

        /** Refuses the call if there is no memory for answers at present. Takes nothing. */
        void check();

        /** Takes memory for an answer that may no longer be refused, because the call has changed something. */
        void takeAnyway(int bytes);
    }

    Table table(@Nullable TableName given) {
        TableName name = Requests.need(given, "the table");
        return tables.named(
                Requests.need(name.getDatabase(), "the database"), Requests.need(name.getTable(), "the table"));
    }

    GetResult get(Table table, byte[] key, @Nullable ReadOptions options, Room room) {
        GetResult result = result(value(table, key, options), options);
        if (result.isSetValue()) {
            room.take(result.bufferForValue().remaining());
        }
        return result;
    }

    boolean contains(Table table, byte[] key, @Nullable ReadOptions options) {
        return value(table, key, options) != null;
    }

    private byte @Nullable [] value(Table table, byte[] key, @Nullable ReadOptions options) {
        if (options == null || !options.isSetSnapshotId()) {
            return table.get(key);
        }
        try (Leases.Use use = leases.use(options.getSnapshotId())) {
            return use.snapshot().get(table, key);
        }
    }

    private static GetResult result(byte @Nullable [] value, @Nullable ReadOptions options) {
        GetResult result = new GetResult();
        if (value != null) {
            result.setValue(ByteBuffer.wrap(value));
            if (options != null && options.isWithTag()) {
                result.setTag(ValueTag.of(value));
            }
        }
        return result;
    }

    List<GetResult> multiGet(Table table, List<byte[]> keys, @Nullable ReadOptions options, Room room) {
        List<GetResult> results = new ArrayList<>(keys.size());
        Found found = new Found(maxFrameBytes, room);
        if (options == null || !options.isSetSnapshotId()) {
            table.getAll(keys, value -> results.add(result(found.next(value), options)));
        } else {
            try (Leases.Use use = leases.use(options.getSnapshotId())) {
                keys.forEach(key -> results.add(result(found.next(use.snapshot().get(table, key)), options)));
            }
        }
        return results;
    }

    /** Counts the values of an answer as they are read. Ends the reading when they are too large together. */
    private static final class Found {

        private final int maxFrameBytes;
        private final Room room;
        private long bytes;

        Found(int maxFrameBytes, Room room) {
            this.maxFrameBytes = maxFrameBytes;
            this.room = room;
        }

        byte @Nullable [] next(byte @Nullable [] value) {
            int size = value == null ? 0 : value.length;
            bytes += size;
            if (bytes > maxFrameBytes) {
                throw new ProblemException(Problem.beyond(
                        ProblemCode.ANSWER_TOO_LARGE,
                        "the values have more than " + maxFrameBytes + " bytes together: ask for fewer keys",
                        maxFrameBytes,
                        bytes));
            }
            room.take(size);
            return value;
        }
    }

    /** Counts on a thread of its own. A walk over many keys would keep a processor from the connections. */
    long count(Table table, KeyRange range, @Nullable ReadOptions options) {
        return longWork.run(() -> counted(table, range, options));
    }

    private long counted(Table table, KeyRange range, @Nullable ReadOptions options) {
        if (options == null || !options.isSetSnapshotId()) {
            return table.count(range);
        }
        try (Leases.Use use = leases.use(options.getSnapshotId())) {
            return use.snapshot().count(table, range);
        }
    }
}
