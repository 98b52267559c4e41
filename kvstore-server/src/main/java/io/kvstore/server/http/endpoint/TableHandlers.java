package io.kvstore.server.http.endpoint;

import io.kvstore.Table;
import io.kvstore.engine.Findings;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Lifecycle;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.TableDefinition;
import io.kvstore.server.edge.TableDescription;
import io.kvstore.server.edge.Tables;
import io.kvstore.server.http.message.Body;
import io.kvstore.server.http.message.Json;
import io.kvstore.server.http.message.JsonFields;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Requests for tables, and for the maintenance of a table. */
public final class TableHandlers {

    private final Tables tables;
    private final Lifecycle lifecycle;

    public TableHandlers(Edge edge) {
        this.tables = edge.tables();
        this.lifecycle = edge.lifecycle();
    }

    private record Verified(String done, double seconds, long total, List<Findings.Finding> findings) {}

    /** Answers 201 if the table is new, 200 if it exists with this engine and all the given options, else 409. */
    public Reply create(Request request) {
        Tables.Created created = tables.create(request.name("db"), request.name("table"), definition(request.body()));
        return Reply.json(created.isNew() ? 201 : 200, TableDescription.of(created.table()));
    }

    public Reply describe(Request request) {
        return Reply.ok(TableDescription.of(request.table(tables)));
    }

    /** Gives a table another name. The route by the old name ends with that. */
    public Reply rename(Request request) {
        JsonFields fields = Json.read(request.body().stream(Limits.JSON_COPIES), input -> input.fields(""));
        String name = fields.text("name");
        fields.end();
        return Reply.ok(TableDescription.of(tables.rename(request.name("db"), request.name("table"), name)));
    }

    /** Changes options of a table, all that are given or none. */
    public Reply alter(Request request) {
        Map<String, String> options = new HashMap<>();
        fields(request.body(), options).end();
        Table table = request.table(tables);
        Tables.alter(table, options);
        return Reply.ok(TableDescription.of(table));
    }

    public Reply drop(Request request) {
        String name = request.name("table");
        checkConfirmed(request, name);
        tables.drop(request.name("db"), name);
        return Reply.noContent();
    }

    public Reply stats(Request request) {
        return Reply.ok(request.table(tables).stats());
    }

    public Reply flush(Request request) {
        return timed("flush", request.table(tables)::flush);
    }

    /** Optimizes a table. Stops at the next safe point when the server is stopping. */
    public Reply compact(Request request) {
        Table table = request.table(tables);
        return timed("compact", () -> table.optimize((done, total) -> !lifecycle.isStopping()));
    }

    public Reply verify(Request request) {
        Table table = request.table(tables);
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            long begun = System.nanoTime();
            Findings findings = table.verify();
            return Reply.ok(new Verified("verify", ServerHandlers.seconds(begun), findings.total(), findings.kept()));
        }
    }

    public Reply truncate(Request request) {
        checkConfirmed(request, request.name("table"));
        return timed("truncate", request.table(tables)::truncate);
    }

    private Reply timed(String what, Runnable job) {
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            long begun = System.nanoTime();
            job.run();
            return Reply.ok(Map.of("done", what, "seconds", ServerHandlers.seconds(begun)));
        }
    }

    private static void checkConfirmed(Request request, String table) {
        if (!table.equals(request.query().text("confirm"))) {
            throw new ProblemException(Problem.of(
                    ProblemCode.CONFIRMATION_MISSING, "this removes data; repeat the request with ?confirm=" + table));
        }
    }

    private static TableDefinition definition(Body body) {
        Map<String, String> options = new HashMap<>();
        JsonFields fields = fields(body, options);
        String engine = fields.text("engine");
        fields.end();
        return new TableDefinition(engine, options);
    }

    /** The fields of a body beside its options. */
    private static JsonFields fields(Body body, Map<String, String> options) {
        return Json.read(body.stream(Limits.JSON_COPIES), input -> {
            JsonFields read = new JsonFields("");
            input.object("", name -> {
                if (name.equals("options")) {
                    options.putAll(input.fields(name).asText());
                } else {
                    input.field(read, name);
                }
            });
            return read;
        });
    }
}
