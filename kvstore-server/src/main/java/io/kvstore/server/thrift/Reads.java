package io.kvstore.server.thrift;

import io.kvstore.Cursor;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.data.ValueTag;
import io.kvstore.error.Outcome;
import io.kvstore.server.edge.Continuations;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.kvstore.thrift.Entry;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ScanRequest;
import io.kvstore.thrift.TableName;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The calls that read. Safe for use by several threads. */
final class Reads {

    private final Tables tables;
    private final Continuations continuations;
    private final Leases leases;
    private final LongWork longWork;
    private final int maxFrameBytes;

    Reads(Edge edge, Leases leases, int maxFrameBytes) {
        this.tables = edge.tables();
        this.continuations = edge.continuations();
        this.leases = leases;
        this.longWork = new LongWork(edge.lifecycle());
        this.maxFrameBytes = maxFrameBytes;
    }

    /** The memory that an answer takes before it is written. */
    @FunctionalInterface
    interface Room {
        void take(int bytes);
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

    /** The values of an answer as they are read; ends the reading when they are too many. */
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

    /** On a thread of its own: a walk over many keys would keep a processor from the connections. */
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

    ScanPage scan(ScanRequest request, Room room) {
        Table table = scanned(request);
        KeyRange range = Requests.range(request.getRange());
        range = request.isReversed() ? range.reverse() : range;
        range = request.isKeysOnly() ? range.withoutValues() : range;
        int tableId = table.id();
        KeyRange rest = request.isSetContinuation()
                ? continuations.rest(Requests.bytes(request.bufferForContinuation(), "the continuation"), table, range)
                : range;
        Page page = page(request, room);
        byte[] last;
        if (request.isSetSnapshotId()) {
            try (Leases.Use use = leases.use(request.getSnapshotId())) {
                last = page.fill(use.snapshot(), table, rest);
            }
        } else {
            last = page.fill(null, table, rest);
        }
        ScanPage answer = new ScanPage(page.entries);
        return last == null ? answer : answer.setContinuation(continuations.after(table, tableId, range, last));
    }

    /** The table of a scan; one that was there for the page before was dropped since. */
    private Table scanned(ScanRequest request) {
        try {
            return table(request.getTable());
        } catch (ProblemException e) {
            boolean isGone = e.problem().code() == ProblemCode.TABLE_NOT_FOUND && request.isSetContinuation();
            throw isGone
                    ? new ProblemException(new Problem(
                            ProblemCode.TABLE_DROPPED,
                            "the table was dropped since the scan began",
                            Outcome.FAILED,
                            Map.of()))
                    : e;
        }
    }

    private Page page(ScanRequest request, Room room) {
        int mostBytes = maxFrameBytes - Limits.FRAME_SLACK_BYTES / 2;
        int entries = request.isSetMaxEntries()
                ? Requests.within(request.getMaxEntries(), 1, Limits.PAGE_ENTRIES, "max_entries")
                : Limits.PAGE_ENTRIES_DEFAULT;
        int bytes = request.isSetMaxBytes()
                ? Requests.within(request.getMaxBytes(), 1, mostBytes, "max_bytes")
                : Math.min(Limits.PAGE_BYTES_DEFAULT, mostBytes);
        int valueBytes = request.isSetMaxValueBytes()
                ? Requests.within(request.getMaxValueBytes(), 0, Integer.MAX_VALUE, "max_value_bytes")
                : mostBytes;
        return new Page(entries, bytes, Math.min(valueBytes, mostBytes), mostBytes, room);
    }

    /** The entries of one answer. */
    private static final class Page {

        private final int maxEntries;
        private final int maxBytes;
        private final int maxValueBytes;
        private final int mostBytes;
        private final Room room;
        private final List<Entry> entries = new ArrayList<>();

        /** @param mostBytes what fits into a frame, with what is around the entries */
        Page(int maxEntries, int maxBytes, int maxValueBytes, int mostBytes, Room room) {
            this.maxEntries = maxEntries;
            this.maxBytes = maxBytes;
            this.maxValueBytes = maxValueBytes;
            this.mostBytes = mostBytes;
            this.room = room;
        }

        /** Takes entries up to the bounds, at least one; returns the last key when more are left. */
        byte @Nullable [] fill(@Nullable Snapshot snapshot, Table table, KeyRange rest) {
            KeyRange bounded = rest.limit(maxEntries + 1L);
            try (Cursor cursor = snapshot == null ? table.scan(bounded) : snapshot.scan(table, bounded)) {
                byte[] last = null;
                long bytes = 0;
                long framedBytes = 0;
                while (cursor.next()) {
                    byte[] key = cursor.key();
                    byte[] value = rest.keysOnly() ? null : cursor.value();
                    boolean fits = value == null || value.length <= maxValueBytes;
                    int size = key.length + (value == null || !fits ? 0 : value.length);
                    bytes += size;
                    framedBytes += size + Limits.ITEM_BYTES;
                    boolean isFull = entries.size() == maxEntries || bytes > maxBytes || framedBytes > mostBytes;
                    if (last != null && isFull) {
                        return last;
                    }
                    room.take(size);
                    entries.add(entry(key, value, fits));
                    last = key;
                }
                return null;
            }
        }

        private static Entry entry(byte[] key, byte @Nullable [] value, boolean fits) {
            Entry entry = new Entry(ByteBuffer.wrap(key));
            if (value == null) {
                return entry;
            }
            return fits ? entry.setValue(ByteBuffer.wrap(value)) : entry.setValueBytes(value.length);
        }
    }
}
