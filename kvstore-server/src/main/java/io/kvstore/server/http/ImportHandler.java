package io.kvstore.server.http;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyOrder;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.ErrorTable;
import io.kvstore.server.edge.Lifecycle;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Loads entries from a body of any length: one JSON object a line. Lines are stored in batches as they arrive; a bad line
 * ends the import, and all lines before it stay stored, which the answer counts.
 */
final class ImportHandler {

    private final KVStore store;
    private final Tables tables;
    private final Lifecycle lifecycle;

    ImportHandler(Edge edge) {
        this.store = edge.store();
        this.tables = edge.tables();
        this.lifecycle = edge.lifecycle();
    }

    Reply load(Request request) throws IOException {
        Table table = request.table(tables);
        Durability durability = request.durability();
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            InputStream in = new BufferedInputStream(request.stream(), Limits.STREAM_CHUNK_BYTES);
            try {
                return Reply.ok(Map.of("stored", new Loading(table, durability).load(in)));
            } catch (RuntimeException e) {
                skipRest(in);
                throw e;
            }
        }
    }

    /** Reads what is left, so that the client gets the answer; if that is too much, the connection is cut instead. */
    private static void skipRest(InputStream in) throws IOException {
        byte[] buffer = new byte[Limits.STREAM_CHUNK_BYTES];
        long skipped = 0;
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            skipped += count;
            if (skipped > Limits.REFUSED_BYTES) {
                throw new IOException("the client sends on after its import failed");
            }
        }
    }

    /** One import. */
    private final class Loading {

        private final Table table;
        private final @Nullable Durability durability;
        private final long maxValueBytes;
        private WriteBatch batch = new WriteBatch();
        private long batchBytes;
        private long stored;
        private long line;

        Loading(Table table, @Nullable Durability durability) {
            this.table = table;
            this.durability = durability;
            this.maxValueBytes = table.maxValueBytes();
        }

        long load(InputStream in) throws IOException {
            try {
                ByteArrayOutputStream text = new ByteArrayOutputStream();
                while (nextLine(in, text)) {
                    add(text.toByteArray());
                }
                store();
                return stored;
            } catch (RuntimeException e) {
                Problem problem = ErrorTable.of(e);
                throw problem.code() == ProblemCode.INTERNAL_ERROR
                        ? e
                        : new ProblemException(problem.with("stored", stored));
            }
        }

        /** Reads one line; false when there is none left. */
        private boolean nextLine(InputStream in, ByteArrayOutputStream text) throws IOException {
            text.reset();
            line++;
            for (int b = in.read(); b >= 0; b = in.read()) {
                if (b == '\n') {
                    return true;
                }
                if (text.size() == Limits.LINE_BYTES) {
                    throw badLine("it has more than " + Limits.LINE_BYTES + " bytes");
                }
                text.write(b);
            }
            return text.size() > 0;
        }

        private void add(byte[] text) {
            if (isBlank(text)) {
                return;
            }
            byte[] key;
            byte[] value;
            try {
                JsonFields fields = new JsonFields(Json.parse(text), "the line");
                key = fields.bytes("key");
                value = fields.bytes("value");
                fields.end();
            } catch (ProblemException e) {
                throw badLine(e.problem().detail());
            }
            checkSize("the key", key.length, KeyOrder.MAX_KEY_BYTES);
            checkSize("the value", value.length, maxValueBytes);
            batch.put(table, key, value);
            batchBytes += key.length + value.length;
            if (batch.size() == Limits.IMPORT_BATCH_LINES || batchBytes >= Limits.IMPORT_BATCH_BYTES) {
                store();
                lifecycle.checkNotStopping();
            }
        }

        /** Checked here, because the store would refuse the whole batch and not name the line. */
        private void checkSize(String what, int bytes, long max) {
            if (bytes > max) {
                throw badLine(what + " has " + bytes + " bytes; at most " + max + " are taken");
            }
        }

        private static boolean isBlank(byte[] text) {
            for (byte b : text) {
                if (b != ' ' && b != '\t' && b != '\r') {
                    return false;
                }
            }
            return true;
        }

        private void store() {
            if (batch.size() > 0) {
                store.write(batch, durability);
                stored += batch.size();
                batch = new WriteBatch();
                batchBytes = 0;
            }
        }

        /** Stores what came before the bad line, and tells of it. */
        private ProblemException badLine(String why) {
            store();
            return new ProblemException(Problem.of(ProblemCode.INVALID_LINE, "line " + line + ": " + why)
                    .with("line", line));
        }
    }
}
