package io.kvstore.server.http.endpoint;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.Merge;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.kvstore.server.http.message.Body;
import io.kvstore.server.http.message.ETag;
import io.kvstore.server.http.message.Json;
import io.kvstore.server.http.message.JsonFields;
import io.kvstore.server.http.message.JsonInput;
import io.kvstore.server.http.message.KeyEncoding;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.Page;
import io.kvstore.server.http.message.PageWriter;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requests for many keys: reads as of one moment, and writes that are made together or not at all. */
public final class BatchHandlers {

    private final KVStore store;
    private final Tables tables;

    public BatchHandlers(Edge edge) {
        this.store = edge.store();
        this.tables = edge.tables();
    }

    /** The values of several keys of a table, in the given order and as of one moment. */
    public Reply get(Request request) {
        Table table = request.table(tables);
        List<byte[]> keys = keys(request.body());
        KeyEncoding encoding = KeyEncoding.named(request.query().text("encoding"));
        Page page = new Page(request.answer());
        Iterator<byte[]> next = keys.iterator();
        table.getAll(keys, value -> add(page, next.next(), value));
        return new Reply.Pieces("application/json", new PageWriter(page, encoding, new PageWriter.OfKeys()));
    }

    private static List<byte[]> keys(Body body) {
        List<byte[]> keys = new ArrayList<>();
        boolean found = Json.read(body.stream(Limits.JSON_COPIES), input -> {
            boolean[] given = new boolean[1];
            input.object("", name -> {
                if (!name.equals("keys")) {
                    throw JsonFields.unknown(name, Set.of("keys"));
                }
                given[0] = true;
                input.array("keys", Limits.GET_KEYS, where -> keys.add(JsonFields.key(input, where)));
            });
            return given[0];
        });
        if (!found) {
            throw ProblemException.invalid("keys is missing");
        }
        return keys;
    }

    private static void add(Page page, byte[] key, byte @Nullable [] value) {
        page.add(key, value);
        if (page.bytes() > Limits.ANSWER_BYTES) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.ANSWER_TOO_LARGE,
                    "the values have more than " + Limits.ANSWER_BYTES + " bytes together; ask for fewer keys",
                    Limits.ANSWER_BYTES,
                    page.bytes()));
        }
    }

    /** Applies mutations of tables of one database together, if every check holds. */
    public Reply write(Request request) {
        String database = request.name("db");
        tables.in(database);
        Filling filling = new Filling(database, request.durability());
        Json.read(request.body().stream(Limits.JSON_COPIES), filling::read);
        if (!filling.mutates) {
            throw ProblemException.invalid("mutations is missing or empty");
        }
        return Reply.ok(Map.of("sequence", store.write(filling.batch, filling.durability)));
    }

    /** Turns the items of one request into a batch. */
    private final class Filling {

        private final WriteBatch batch = new WriteBatch();
        private final Map<String, Table> known = new HashMap<>();
        private final String database;
        private @Nullable Durability durability;
        private boolean mutates;

        Filling(String database, @Nullable Durability durability) {
            this.database = database;
            this.durability = durability;
        }

        /** Reads the whole document. The order of its fields has no meaning. */
        Filling read(JsonInput input) {
            input.object("", name -> {
                switch (name) {
                    case "durability" -> durability = Request.durability(input.string(name), name);
                    case "checks" -> input.array(name, Limits.BATCH_ITEMS, where -> check(input.fields(where)));
                    case "mutations" -> input.array(name, Limits.BATCH_ITEMS, where -> mutate(input.fields(where)));
                    default -> throw JsonFields.unknown(name, Set.of("durability", "checks", "mutations"));
                }
            });
            return this;
        }

        private void check(JsonFields item) {
            Table table = table(item);
            byte[] key = item.bytes("key");
            boolean isAbsent = item.isNull("etag");
            if (!isAbsent && !item.isString("etag")) {
                throw ProblemException.invalid(
                        "give " + item.place("etag") + " as a tag, as \"*\" for any value, or as null for none");
            }
            batch.check(table, isAbsent ? new Condition.Absent(key) : condition(key, item.text("etag")));
            item.end();
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

        private void mutate(JsonFields item) {
            mutates = true;
            Table table = table(item);
            String operation = item.text("op");
            byte[] key = item.bytes("key");
            switch (operation) {
                case "put" -> batch.put(table, key, item.bytes("value"));
                case "delete" -> batch.remove(table, key);
                case "add" -> batch.add(table, key, item.wholeNumber("delta"));
                case "append" -> batch.append(table, key, item.bytes("value"));
                case "patch" -> batch.patch(table, key, offset(item), item.bytes("value"));
                default ->
                    throw ProblemException.invalid(
                            item.place("op") + " is \"" + operation + "\"; give put, delete, add, append or patch");
            }
            item.end();
        }

        private static int offset(JsonFields item) {
            long offset = item.count("offset");
            if (offset > Merge.MAX_RESULT_BYTES) {
                throw ProblemException.invalid(item.place("offset") + " is " + offset + "; a merged value has at most "
                        + Merge.MAX_RESULT_BYTES + " bytes");
            }
            return (int) offset;
        }

        private Table table(JsonFields item) {
            return known.computeIfAbsent(item.text("table"), name -> tables.named(database, name));
        }
    }
}
