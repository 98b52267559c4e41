package io.kvstore.server.thrift;

import io.kvstore.Cursor;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.error.Outcome;
import io.kvstore.server.edge.Continuations;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.thrift.ScanRequest;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Reads the pages of scans. Safe for use by several threads. */
final class Scans {

    private final Reads reads;
    private final Continuations continuations;
    private final Leases leases;
    private final int maxFrameBytes;

    Scans(Reads reads, Continuations continuations, Leases leases, int maxFrameBytes) {
        this.reads = reads;
        this.continuations = continuations;
        this.leases = leases;
        this.maxFrameBytes = maxFrameBytes;
    }

    /**
     * The description of a page, without its entries.
     *
     * @param continuation for the next page; null if this is the last one
     * @param tableId the id of the table when the page was read
     * @param lsn the last lsn of the table before the page was read
     */
    record Page(byte @Nullable [] continuation, int tableId, long lsn) {}

    /**
     * Reads the page that is asked for.
     *
     * @param isUnwanted is asked before each entry
     * @throws CancellationException if the page became unwanted
     */
    Page read(ScanRequest request, PageBody body, BooleanSupplier isUnwanted) {
        Table table = table(request);
        int tableId = table.id();
        long lsn = table.lastLsn();
        KeyRange range = Requests.range(request.getRange());
        range = request.isReversed() ? range.reverse() : range;
        range = request.isKeysOnly() ? range.withoutValues() : range;
        KeyRange rest = request.isSetContinuation()
                ? continuations.rest(Requests.bytes(request.bufferForContinuation(), "the continuation"), table, range)
                : range;
        Bounds bounds = bounds(request);
        body.begin();
        KeyRange bounded = rest.limit(bounds.entries + 1L);
        byte[] last;
        if (request.isSetSnapshotId()) {
            try (Leases.Use use = leases.use(request.getSnapshotId())) {
                last = read(use.snapshot().scan(table, bounded), bounds, body, isUnwanted);
            }
        } else {
            Cursor cursor = table.scan(bounded);
            cursor = request.isSetContinuation() ? Continuations.requireSame(cursor, table, tableId) : cursor;
            last = read(cursor, bounds, body, isUnwanted);
        }
        byte[] continuation = last == null ? null : continuations.after(table, tableId, range, last);
        return new Page(continuation, tableId, lsn);
    }

    /** Whether a read now would give the same page. */
    boolean isCurrent(Page page, ScanRequest request) {
        Table table = table(request);
        if (table.id() != page.tableId) {
            return false;
        }
        if (!request.isSetSnapshotId()) {
            return table.lastLsn() == page.lsn;
        }
        leases.use(request.getSnapshotId()).close();
        return true;
    }

    /** The table of a scan. If a continued scan finds no table, the error says that the table was dropped. */
    private Table table(ScanRequest request) {
        try {
            return reads.table(request.getTable());
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

    /**
     * The limits of a page. A page has at least one entry, whatever the limits are.
     *
     * @param valueBytes for a larger value the page has only its size
     * @param framedBytes the most bytes with the fields around the entries
     */
    private record Bounds(int entries, int bytes, int valueBytes, int framedBytes, boolean keysOnly) {}

    private Bounds bounds(ScanRequest request) {
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
        return new Bounds(entries, bytes, Math.min(valueBytes, mostBytes), mostBytes, request.isKeysOnly());
    }

    /** Adds entries up to the bounds, but at least one. Returns the last key if there are more entries, else null. */
    private static byte @Nullable [] read(Cursor entries, Bounds bounds, PageBody body, BooleanSupplier isUnwanted) {
        try (entries) {
            Filling filling = new Filling(bounds, body);
            entries.visit((key, value) -> {
                if (isUnwanted.getAsBoolean()) {
                    throw new CancellationException();
                }
                return filling.add(key, value);
            });
            return filling.isFull ? filling.last : null;
        }
    }

    /** A page that is being read. */
    private static final class Filling {

        private final Bounds bounds;
        private final PageBody body;
        private long bytes;
        private byte @Nullable [] last;
        private boolean isFull;

        Filling(Bounds bounds, PageBody body) {
            this.bounds = bounds;
            this.body = body;
        }

        /** Adds an entry unless the page is full. Returns whether it was added. */
        boolean add(byte[] key, ByteBuffer value) {
            boolean fits = value.remaining() <= bounds.valueBytes;
            bytes += key.length + (fits ? value.remaining() : 0);
            long framedBytes = bytes + (body.entries() + 1L) * Limits.ITEM_BYTES;
            boolean isBeyond =
                    body.entries() == bounds.entries || bytes > bounds.bytes || framedBytes > bounds.framedBytes;
            if (last != null && isBeyond) {
                isFull = true;
                return false;
            }
            body.add(key, bounds.keysOnly ? null : value, fits);
            last = key;
            return true;
        }
    }
}
