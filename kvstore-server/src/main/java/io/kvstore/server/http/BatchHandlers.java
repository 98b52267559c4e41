package io.kvstore.server.http;

import io.kvstore.KVStore;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;

/** Many keys at once: reads at one moment, writes that happen together or not at all. */
final class BatchHandlers {

    private final KVStore store;
    private final Tables tables;

    BatchHandlers(Edge edge) {
        this.store = edge.store();
        this.tables = edge.tables();
    }

    /** The values of several keys, in the order given, all as they were at one moment. */
    Reply get(Request request) {
        Table table = request.table(tables);
        JsonFields fields = new JsonFields(Json.parse(request.body()), "");
        List<JsonNode> nodes = fields.array("keys", Limits.GET_KEYS);
        if (fields.any("keys") == null) {
            throw ProblemException.invalid("keys is missing");
        }
        fields.end();
        List<byte[]> keys = new ArrayList<>(nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            keys.add(JsonFields.key(nodes.get(i), "keys[" + i + "]"));
        }
        KeyEncoding encoding = KeyEncoding.named(request.query().text("encoding"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = Json.generator(out);
                Snapshot snapshot = store.snapshot()) {
            json.writeStartObject();
            json.writeArrayPropertyStart("entries");
            writeValues(json, new EntryForm(encoding), keys, key -> snapshot.get(table, key));
            json.writeEndArray();
            json.writeEndObject();
            json.writeRaw('\n');
        }
        return new Reply.Whole(200, Map.of("Content-Type", "application/json"), out.toByteArray());
    }

    /** Reads one key. */
    private interface Lookup {
        byte @Nullable [] value(byte[] key);
    }

    private static void writeValues(JsonGenerator json, EntryForm form, List<byte[]> keys, Lookup lookup) {
        long bytes = 0;
        for (byte[] key : keys) {
            byte[] value = lookup.value(key);
            bytes += key.length + (value == null ? 0 : value.length);
            if (bytes > Limits.ANSWER_BYTES) {
                throw new ProblemException(Problem.beyond(
                        ProblemCode.ANSWER_TOO_LARGE,
                        "the values have more than " + Limits.ANSWER_BYTES + " bytes together; ask for fewer keys",
                        Limits.ANSWER_BYTES,
                        bytes));
            }
            json.writeStartObject();
            form.writeFields(json, key, value);
            json.writeBooleanProperty("found", value != null);
            json.writeEndObject();
        }
    }

    /** Applies mutations of any tables of one database together, if every check holds. */
    Reply write(Request request) {
        String database = request.name("db");
        tables.in(database);
        JsonFields fields = new JsonFields(Json.parse(request.body()), "");
        String level = fields.optionalText("durability");
        Durability durability = level == null ? request.durability() : Request.durability(level, "durability");
        List<JsonNode> checks = fields.array("checks", Limits.BATCH_ITEMS);
        List<JsonNode> mutations = fields.array("mutations", Limits.BATCH_ITEMS);
        fields.end();
        if (mutations.isEmpty()) {
            throw ProblemException.invalid("mutations is missing or empty");
        }
        Filling filling = new Filling(database);
        for (int i = 0; i < checks.size(); i++) {
            filling.check(new JsonFields(checks.get(i), "checks[" + i + "]"));
        }
        for (int i = 0; i < mutations.size(); i++) {
            filling.mutate(new JsonFields(mutations.get(i), "mutations[" + i + "]"));
        }
        return Reply.ok(Map.of("sequence", store.write(filling.batch, durability)));
    }

    /** Turns the items of one request into a batch. */
    private final class Filling {

        private final WriteBatch batch = new WriteBatch();
        private final Map<String, Table> known = new HashMap<>();
        private final String database;

        Filling(String database) {
            this.database = database;
        }

        void check(JsonFields item) {
            Table table = table(item);
            byte[] key = item.bytes("key");
            JsonNode etag = item.any("etag");
            item.end();
            if (etag == null || !(etag.isNull() || etag.isString())) {
                throw ProblemException.invalid(
                        "give " + item.place("etag") + " as a tag, as \"*\" for any value, or as null for none");
            }
            batch.check(table, etag.isNull() ? new Condition.Absent(key) : condition(key, etag.stringValue()));
        }

        private Condition condition(byte[] key, String etag) {
            if (etag.equals("*")) {
                return new Condition.Exists(key);
            }
            Long tag = ETag.parseLenient(etag);
            if (tag == null) {
                throw ProblemException.invalid("\"" + etag + "\" is not an ETag of this server");
            }
            return new Condition.TagIs(key, tag);
        }

        void mutate(JsonFields item) {
            Table table = table(item);
            String operation = item.text("op");
            byte[] key = item.bytes("key");
            switch (operation) {
                case "put" -> batch.put(table, key, item.bytes("value"));
                case "delete" -> batch.remove(table, key);
                default ->
                    throw ProblemException.invalid(item.place("op") + " is \"" + operation + "\"; give put or delete");
            }
            item.end();
        }

        private Table table(JsonFields item) {
            return known.computeIfAbsent(item.text("table"), name -> tables.named(database, name));
        }
    }
}
