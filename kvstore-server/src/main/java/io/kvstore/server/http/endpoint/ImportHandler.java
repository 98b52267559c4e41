package io.kvstore.server.http.endpoint;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyOrder;
import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.ErrorTable;
import io.kvstore.server.edge.Lifecycle;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.kvstore.server.http.message.JsonFields;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.LineReader;
import io.kvstore.server.http.message.RefusedBody;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import io.kvstore.server.http.message.StreamPace;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Loads entries from a body of any length that has one JSON object a line. Lines are stored in batches as they arrive. A bad
 * line ends the import. All lines before it stay stored, and the answer has their number.
 */
public final class ImportHandler {

    private final KVStore store;
    private final Tables tables;
    private final Lifecycle lifecycle;
    private final ByteBudget bodies;

    /** @param bodies the heap memory for bodies of requests */
    public ImportHandler(Edge edge, ByteBudget bodies) {
        this.store = edge.store();
        this.tables = edge.tables();
        this.lifecycle = edge.lifecycle();
        this.bodies = bodies;
    }

    public Reply load(Request request) throws IOException {
        Table table = request.table(tables);
        Durability durability = request.durability();
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            InputStream in = request.stream();
            Loading loading = new Loading(table, durability);
            try (LineReader lines = new LineReader(in, bodies.claim(ProblemCode.TOO_LARGE))) {
                return Reply.ok(Map.of("stored", loading.load(lines)));
            } catch (StreamPace.TooSlowException e) {
                throw loading.tooSlow(request);
            } catch (RuntimeException e) {
                RefusedBody.skip(in, request.pace());
                throw e;
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

        /** The number of entries since the last line that ended an export. */
        private long exported;

        Loading(Table table, @Nullable Durability durability) {
            this.table = table;
            this.durability = durability;
            this.maxValueBytes = table.maxValueBytes();
        }

        long load(LineReader lines) throws IOException {
            try {
                while (next(lines)) {
                    if (!lines.isBlank()) {
                        add(lines);
                    }
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

        private boolean next(LineReader lines) throws IOException {
            line++;
            try {
                return lines.next();
            } catch (LineReader.LineTooLongException e) {
                throw badLine(String.valueOf(e.getMessage()));
            } catch (ProblemException e) {
                throw e.problem().code() == ProblemCode.TOO_LARGE
                        ? badLine(e.problem().detail())
                        : e;
            }
        }

        /** The problem of a client that is too slow. Stores the lines that have arrived as a whole, and counts them. */
        ProblemException tooSlow(Request request) {
            store();
            return new ProblemException(request.tooSlow("send the lines from the one after those stored")
                    .with("stored", stored));
        }

        private void add(LineReader lines) {
            JsonFields fields = parse(lines);
            if (fields.has("end")) {
                endExport(fields);
                return;
            }
            byte[] key;
            byte[] value;
            try {
                key = fields.bytes("key");
                value = fields.bytes("value");
                fields.end();
            } catch (ProblemException e) {
                throw badLine(e.problem().detail());
            }
            checkSize("the key", key.length, KeyOrder.MAX_KEY_BYTES);
            checkSize("the value", value.length, maxValueBytes);
            batch.put(table, key, value);
            exported++;
            batchBytes += key.length + value.length;
            if (batch.size() == Limits.IMPORT_BATCH_LINES || batchBytes >= Limits.IMPORT_BATCH_BYTES) {
                store();
                lifecycle.checkNotStopping();
            }
        }

        private JsonFields parse(LineReader lines) {
            try {
                return lines.json(input -> {
                    JsonFields fields = new JsonFields("the line");
                    input.object("the line", name -> {
                        if (name.equals("error") && fields.has("end")) {
                            throw endedEarly();
                        }
                        input.field(fields, name);
                    });
                    return fields;
                });
            } catch (ProblemException e) {
                throw badLine(e.problem().detail());
            }
        }

        /**
         * Reads the last line of an export. It says how many entries the export had, and that number must have come. Another
         * export may follow.
         */
        private void endExport(JsonFields fields) {
            try {
                if (!fields.isTrue("end")) {
                    throw endedEarly();
                }
                long count = fields.count("count");
                fields.end();
                if (count != exported) {
                    throw ProblemException.invalid(
                            "the export ends here with " + count + " entries, and " + exported + " have come");
                }
            } catch (ProblemException e) {
                throw badLine(e.problem().detail());
            }
            exported = 0;
        }

        private static ProblemException endedEarly() {
            return ProblemException.invalid("the export was not complete: its last line says that it failed");
        }

        /** Checks a size here, because the store would refuse the whole batch and not name the line. */
        private void checkSize(String what, int bytes, long max) {
            if (bytes > max) {
                throw badLine(what + " has " + bytes + " bytes; at most " + max + " are taken");
            }
        }

        private void store() {
            if (batch.size() > 0) {
                store.write(batch, durability);
                stored += batch.size();
                batch = new WriteBatch();
                batchBytes = 0;
            }
        }

        /** The problem of a bad line. Stores the lines before it. */
        private ProblemException badLine(String why) {
            store();
            return new ProblemException(Problem.of(ProblemCode.INVALID_LINE, "line " + line + ": " + why)
                    .with("line", line));
        }
    }
}
