package io.kvstore.server.http.endpoint;

import io.kvstore.Cursor;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.error.KVStoreException;
import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.Continuations;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.ErrorTable;
import io.kvstore.server.edge.KeyName;
import io.kvstore.server.edge.Lifecycle;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.kvstore.server.http.message.Accept;
import io.kvstore.server.http.message.EntryLines;
import io.kvstore.server.http.message.KeyEncoding;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.Page;
import io.kvstore.server.http.message.PageWriter;
import io.kvstore.server.http.message.Query;
import io.kvstore.server.http.message.Ranges;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Scans of ranges: pages of bounded size, or streams of any length that say how they ended. */
public final class EntryHandlers {

    private static final String JSON = "application/json";
    private static final String NDJSON = "application/x-ndjson";

    private final Tables tables;
    private final Lifecycle lifecycle;
    private final Continuations continuations;

    public EntryHandlers(Edge edge) {
        this.tables = edge.tables();
        this.lifecycle = edge.lifecycle();
        this.continuations = edge.continuations();
    }

    public Reply list(Request request) {
        Table table = request.table(tables);
        Query query = request.query();
        KeyRange range = Ranges.of(query);
        range = query.flag("reverse") ? range.reverse() : range;
        range = query.flag("keys_only") ? range.withoutValues() : range;
        String cursor = query.text("cursor");
        int tableId = table.id();
        KeyRange rest =
                cursor == null ? range : continuations.rest(KeyEncoding.ofBase64(cursor, "cursor"), table, range);
        Asked asked = new Asked(range, rest, cursor != null, tableId);
        KeyEncoding encoding = KeyEncoding.named(query.text("encoding"));
        return switch (Accept.preferred(request.listHeader("Accept"), List.of(JSON, NDJSON))) {
            case NDJSON -> stream(request, table, asked, encoding);
            default -> page(request, table, asked, encoding);
        };
    }

    public Reply count(Request request) {
        Table table = request.table(tables);
        KeyRange range = Ranges.of(request.query());
        range = range.limit(request.query().number("limit", Long.MAX_VALUE, Long.MAX_VALUE));
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            return Reply.ok(Map.of("count", table.count(range)));
        }
    }

    /**
     * What a request asks for.
     *
     * @param whole the range of the whole scan
     * @param rest what previous pages left of it
     * @param isContinued whether there were previous pages
     * @param tableId the table's id before the rest was known
     */
    private record Asked(KeyRange whole, KeyRange rest, boolean isContinued, int tableId) {

        /** A cursor for the first entries of the rest. */
        Cursor open(Table table, long limit) {
            Cursor cursor = table.scan(rest.limit(limit));
            return isContinued ? Continuations.requireSame(cursor, table, tableId) : cursor;
        }
    }

    private Reply page(Request request, Table table, Asked asked, KeyEncoding encoding) {
        Query query = request.query();
        long limit = query.number("limit", Limits.PAGE_ENTRIES_DEFAULT, Limits.PAGE_ENTRIES);
        long maxBytes = query.number("max_bytes", Limits.PAGE_BYTES_DEFAULT, Limits.ANSWER_BYTES);
        Page page = new Page(request.answer());
        try (Cursor cursor = asked.open(table, limit + 1)) {
            byte[] last = fill(page, cursor, asked.rest().keysOnly(), new PageBounds(limit, maxBytes));
            String next = last == null ? null : text(continuations.after(table, asked.tableId(), asked.whole(), last));
            return new Reply.Pieces(JSON, new PageWriter(page, encoding, new PageWriter.OfRange(next)));
        }
    }

    private static String text(byte[] continuation) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(continuation);
    }

    private record PageBounds(long entries, long bytes) {}

    /** Reads entries up to the bounds, but at least one. Returns the last key if there are more entries, else null. */
    private static byte @Nullable [] fill(Page page, Cursor cursor, boolean keysOnly, PageBounds bounds) {
        byte[] last = null;
        for (long count = 0; cursor.next(); count++) {
            byte[] key = cursor.key();
            byte[] value = keysOnly ? null : cursor.value();
            long bytes = page.bytes() + key.length + (value == null ? 0 : value.length);
            if (last != null && (count == bounds.entries() || bytes > bounds.bytes())) {
                return last;
            }
            page.add(key, value);
            last = key;
        }
        return null;
    }

    private Reply stream(Request request, Table table, Asked asked, KeyEncoding encoding) {
        Query query = request.query();
        if (query.has("max_bytes")) {
            throw ProblemException.invalid("max_bytes has no meaning for a stream");
        }
        long limit = query.number("limit", Long.MAX_VALUE, Long.MAX_VALUE);
        boolean isKeysOnly = asked.rest().keysOnly();
        Lifecycle.LongJob job = lifecycle.beginLongJob();
        Cursor cursor = null;
        try {
            cursor = asked.open(table, limit);
            return new Reply.Streamed(
                    200, Map.of("Content-Type", NDJSON), new Lines(cursor, isKeysOnly, encoding, job, request));
        } catch (RuntimeException | Error e) { // an exhausted heap must not keep the job and the cursor
            try (job) {
                if (cursor != null) {
                    cursor.close();
                }
            }
            throw e;
        }
    }

    /** Writes a stream of entries. Its last line says whether it is complete. */
    private final class Lines implements Reply.Writer {

        private final Cursor cursor;
        private final boolean keysOnly;
        private final EntryLines lines;
        private final Lifecycle.LongJob job;
        private final String requestId;
        private final ByteBudget.Claim heap;
        private long count;
        private boolean isMore = true;

        /** A long value that comes behind the lines, and its key. */
        private byte @Nullable [] longValue;

        private byte[] longKey = new byte[0];

        Lines(Cursor cursor, boolean keysOnly, KeyEncoding encoding, Lifecycle.LongJob job, Request request) {
            this.cursor = cursor;
            this.keysOnly = keysOnly;
            this.lines = new EntryLines(encoding);
            this.job = job;
            this.requestId = request.requestId();
            this.heap = request.answer();
        }

        @Override
        public void write(OutputStream out) throws IOException {
            Map<String, Object> last = new LinkedHashMap<>();
            try {
                while (isMore) {
                    isMore = false;
                    // The visitor must not wait for the client, so lines are sent between two visits.
                    cursor.visit(this::gather);
                    if (isMore) {
                        send(out);
                        lifecycle.checkNotStopping();
                    }
                }
                last.put("end", true);
                last.put("count", count);
            } catch (KVStoreException | ProblemException e) {
                last.put("end", false);
                last.put("count", count);
                last.put("error", ErrorTable.of(e).asJson(requestId));
            }
            lines.add(last);
            send(out);
        }

        /** Adds an entry. Returns whether there is room for another. */
        private boolean gather(byte[] key, ByteBuffer value) {
            boolean isLong = !keysOnly && value.remaining() >= EntryLines.LONG_VALUE_BYTES;
            if (isLong) {
                takeLong(key, value);
            } else {
                lines.add(key, keysOnly ? null : value);
            }
            count++;
            isMore = isLong || lines.size() >= Limits.STREAM_CHUNK_BYTES;
            return !isMore;
        }

        /** Keeps a value beyond the visit. Its memory is claimed until the client has taken it. */
        private void takeLong(byte[] key, ByteBuffer value) {
            int bytes = value.remaining();
            heap.take(bytes, () -> "the value of the key " + KeyName.of(key));
            byte[] copy = new byte[bytes];
            value.get(value.position(), copy);
            longValue = copy;
            longKey = key;
        }

        private void send(OutputStream out) throws IOException {
            byte[] value = longValue;
            if (value == null) {
                lines.moveTo(out);
                out.flush();
            } else {
                longValue = null;
                lines.writeLong(longKey, value, out);
                out.flush();
                heap.giveBack(value.length);
            }
        }

        @Override
        public void close() {
            try (job) {
                cursor.close();
            }
        }
    }
}
