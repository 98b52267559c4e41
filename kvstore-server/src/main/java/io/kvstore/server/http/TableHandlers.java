package io.kvstore.server.http;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.engine.Findings;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.NotFoundException;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** Tables, and the maintenance of one. */
final class TableHandlers {

    private final KVStore store;
    private final Tables tables;
    private final Lifecycle lifecycle;

    TableHandlers(KVStore store, Tables tables, Lifecycle lifecycle) {
        this.store = store;
        this.tables = tables;
        this.lifecycle = lifecycle;
    }

    private record Definition(String engine, Properties options) {}

    private record Description(String database, String name, int id, String engine, Map<String, Object> options) {}

    private record Verified(String done, double seconds, long total, List<Findings.Finding> findings) {}

    /** 201 when it is new, 200 when it is there with this engine and every option given, else 409. */
    Reply create(Request request) {
        Definition definition = definition(request.body());
        String database = request.name("db");
        String name = request.name("table");
        try {
            return Reply.json(
                    201, describe(store.createTable(database, name, definition.engine(), definition.options())));
        } catch (NotFoundException e) {
            throw tables.notFound(database, name, e);
        } catch (AlreadyExistsException e) {
            Table existing = tables.named(database, name);
            if (isSame(existing, definition)) {
                return Reply.ok(describe(existing));
            }
            throw new ProblemException(Problem.of(
                            ProblemCode.DEFINITION_DIFFERS,
                            "the table \"" + name + "\" exists with another definition; drop it or take another name")
                    .with("existing", describe(existing)));
        }
    }

    Reply describe(Request request) {
        return Reply.ok(describe(tables.of(request)));
    }

    Reply drop(Request request) {
        String database = request.name("db");
        String name = request.name("table");
        checkConfirmed(request, name);
        try {
            store.dropTable(database, name);
        } catch (NotFoundException e) {
            throw tables.notFound(database, name, e);
        }
        return Reply.noContent();
    }

    Reply stats(Request request) {
        return Reply.ok(tables.of(request).stats());
    }

    Reply flush(Request request) {
        return timed("flush", tables.of(request)::flush);
    }

    /** Stops at the next safe point when the server is stopping. */
    Reply compact(Request request) {
        Table table = tables.of(request);
        return timed("compact", () -> table.optimize((done, total) -> !lifecycle.isStopping()));
    }

    Reply verify(Request request) {
        Table table = tables.of(request);
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            long begun = System.nanoTime();
            Findings findings = table.verify();
            return Reply.ok(new Verified("verify", ServerHandlers.seconds(begun), findings.total(), findings.kept()));
        }
    }

    Reply truncate(Request request) {
        checkConfirmed(request, request.name("table"));
        return timed("truncate", tables.of(request)::truncate);
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

    private static Definition definition(byte[] body) {
        JsonFields fields = new JsonFields(Json.parse(body), "");
        String engine = fields.text("engine").toUpperCase(Locale.ROOT);
        Properties options = new Properties();
        JsonNode given = fields.any("options");
        fields.end();
        if (given != null) {
            if (!given.isObject()) {
                throw ProblemException.invalid("options is " + JsonFields.kind(given) + "; give an object");
            }
            given.properties().forEach(option -> options.put(option.getKey(), scalar(option)));
        }
        return new Definition(engine, options);
    }

    private static Object scalar(Map.Entry<String, JsonNode> option) {
        JsonNode value = option.getValue();
        if (value.isContainer() || value.isNull()) {
            throw ProblemException.invalid("options." + option.getKey() + " is " + JsonFields.kind(value)
                    + "; give a number, true, false or a string");
        }
        return value.asString();
    }

    private static boolean isSame(Table table, Definition definition) {
        if (!table.engineName().equals(definition.engine())) {
            return false;
        }
        SortedMap<String, String> present = table.properties().asMap();
        return definition.options().entrySet().stream().allMatch(option -> {
            String text = present.get(option.getKey().toString());
            return text != null && isSame(text, option.getValue().toString());
        });
    }

    private static boolean isSame(String present, String given) {
        if (present.equalsIgnoreCase(given.strip())) {
            return true;
        }
        try {
            return new BigDecimal(present).compareTo(new BigDecimal(given.strip())) == 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static Description describe(Table table) {
        Map<String, Object> options = new TreeMap<>();
        table.properties().asMap().forEach((name, text) -> options.put(name, typed(text)));
        return new Description(
                table.database(),
                table.name(),
                table.id(),
                table.engineName().toLowerCase(Locale.ROOT),
                new LinkedHashMap<>(options));
    }

    /** Canonical text as the JSON type it stands for. */
    private static Object typed(String text) {
        if (text.equals("true") || text.equals("false")) {
            return Boolean.valueOf(text);
        }
        try {
            return new BigDecimal(text);
        } catch (NumberFormatException e) {
            return text;
        }
    }
}
