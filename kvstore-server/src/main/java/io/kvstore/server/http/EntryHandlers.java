package io.kvstore.server.http;

import io.kvstore.Cursor;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.error.KVStoreException;
import io.kvstore.server.edge.Continuations;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.ErrorTable;
import io.kvstore.server.edge.Lifecycle;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Ranges: pages of bounded size, or streams of any length that say how they ended. */
final class EntryHandlers {

    private static final String NDJSON = "application/x-ndjson";

    private final Tables tables;
    private final Lifecycle lifecycle;
    private final Continuations continuations;

    EntryHandlers(Edge edge) {
        this.tables = edge.tables();
        this.lifecycle = edge.lifecycle();
        this.continuations = edge.continuations();
    }

    Reply list(Request request) {
        Table table = request.table(tables);
        Query query = request.query();
        KeyRange range = Ranges.of(query);
        range = query.flag("reverse") ? range.reverse() : range;
        range = query.flag("keys_only") ? range.withoutValues() : range;
        String cursor = query.text("cursor");
        KeyRange rest =
                cursor == null ? range : continuations.rest(KeyEncoding.ofBase64(cursor, "cursor"), table, range);
        KeyEncoding encoding = KeyEncoding.named(query.text("encoding"));
        String accept = request.header("Accept");
        return accept != null && accept.contains(NDJSON)
                ? stream(request, table, rest, encoding)
                : page(query, table, new Asked(range, rest), encoding);
    }

    Reply count(Request request) {
        Table table = request.table(tables);
        KeyRange range = Ranges.of(request.query());
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            return Reply.ok(Map.of("count", table.count(range)));
        }
    }

    /** The range that a client walks, and what the pages before left of it. */
    private record Asked(KeyRange whole, KeyRange rest) {}

    private Reply page(Query query, Table table, Asked asked, KeyEncoding encoding) {
        KeyRange range = asked.rest();
        int tableId = table.id();
        long limit = query.number("limit", Limits.PAGE_ENTRIES_DEFAULT, Limits.PAGE_ENTRIES);
        long maxBytes = query.number("max_bytes", Limits.PAGE_BYTES_DEFAULT, Limits.ANSWER_BYTES);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = Json.generator(out);
                Cursor cursor = table.scan(range.limit(limit + 1))) {
            json.writeStartObject();
            json.writeArrayPropertyStart("entries");
            byte[] last = writePage(json, cursor, range, new PageBounds(limit, maxBytes, encoding));
            json.writeEndArray();
            if (last == null) {
                json.writeNullProperty("next_cursor");
            } else {
                json.writeStringProperty("next_cursor", text(continuations.after(table, tableId, asked.whole(), last)));
            }
            json.writeEndObject();
            json.writeRaw('\n');
        }
        return new Reply.Whole(200, Map.of("Content-Type", "application/json"), out.toByteArray());
    }

    private static String text(byte[] continuation) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(continuation);
    }

    private record PageBounds(long entries, long bytes, KeyEncoding encoding) {}

    /** Writes entries up to the bounds, at least one; returns the last key when more are left. */
    private static byte @Nullable [] writePage(JsonGenerator json, Cursor cursor, KeyRange range, PageBounds bounds) {
        EntryForm form = new EntryForm(bounds.encoding());
        byte[] last = null;
        long bytes = 0;
        for (long count = 0; cursor.next(); count++) {
            byte[] key = cursor.key();
            byte[] value = range.keysOnly() ? null : cursor.value();
            bytes += key.length + (value == null ? 0 : value.length);
            if (last != null && (count == bounds.entries() || bytes > bounds.bytes())) {
                return last;
            }
            form.write(json, key, value);
            last = key;
        }
        return null;
    }

    private Reply stream(Request request, Table table, KeyRange range, KeyEncoding encoding) {
        Query query = request.query();
        if (query.has("max_bytes")) {
            throw ProblemException.invalid("max_bytes has no meaning for a stream");
        }
        KeyRange bounded = range.limit(query.number("limit", Long.MAX_VALUE, Long.MAX_VALUE));
        Lifecycle.LongJob job = lifecycle.beginLongJob();
        try {
            return new Reply.Streamed(
                    NDJSON, new Lines(table.scan(bounded), bounded.keysOnly(), encoding, job, request.requestId()));
        } catch (RuntimeException e) {
            job.close();
            throw e;
        }
    }

    /** Writes a stream of entries and a last line that says whether it is complete. */
    private final class Lines implements Reply.Writer {

        private final Cursor cursor;
        private final boolean keysOnly;
        private final EntryForm form;
        private final Lifecycle.LongJob job;
        private final String requestId;

        Lines(Cursor cursor, boolean keysOnly, KeyEncoding encoding, Lifecycle.LongJob job, String requestId) {
            this.cursor = cursor;
            this.keysOnly = keysOnly;
            this.form = new EntryForm(encoding);
            this.job = job;
            this.requestId = requestId;
        }

        @Override
        public void write(OutputStream out) throws IOException {
            ByteArrayOutputStream chunk = new ByteArrayOutputStream(Limits.STREAM_CHUNK_BYTES * 2);
            try (JsonGenerator json = Json.generator(chunk)) {
                Json.write(json, lastLine(json, chunk, out));
                json.writeRaw('\n');
                send(json, chunk, out);
            }
        }

        private Map<String, Object> lastLine(JsonGenerator json, ByteArrayOutputStream chunk, OutputStream out)
                throws IOException {
            Map<String, Object> line = new LinkedHashMap<>();
            long count = 0;
            try {
                while (cursor.next()) {
                    form.write(json, cursor.key(), keysOnly ? null : cursor.value());
                    count++;
                    // The generator holds back up to 8,000 bytes, which the chunk's size does not show.
                    if (chunk.size() >= Limits.STREAM_CHUNK_BYTES) {
                        send(json, chunk, out);
                        lifecycle.checkNotStopping();
                    }
                }
                line.put("end", true);
                line.put("count", count);
            } catch (KVStoreException | ProblemException e) {
                line.put("end", false);
                line.put("count", count);
                line.put("error", ErrorTable.of(e).asJson(requestId));
            }
            return line;
        }

        private static void send(JsonGenerator json, ByteArrayOutputStream chunk, OutputStream out) throws IOException {
            json.flush();
            chunk.writeTo(out);
            out.flush();
            chunk.reset();
        }

        @Override
        public void close() {
            cursor.close();
            job.close();
        }
    }
}
