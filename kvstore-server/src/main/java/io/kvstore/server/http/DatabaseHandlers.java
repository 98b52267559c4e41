package io.kvstore.server.http;

import io.kvstore.KVStore;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Tables;
import java.util.Map;

/** Databases. */
final class DatabaseHandlers {

    private final KVStore store;
    private final Tables tables;

    DatabaseHandlers(Edge edge) {
        this.store = edge.store();
        this.tables = edge.tables();
    }

    Reply list(Request request) {
        return Reply.ok(Map.of("databases", store.databases()));
    }

    /** 201 when it is new, 200 when it was there. */
    Reply create(Request request) {
        String database = request.name("db");
        return Reply.json(tables.createDatabase(database) ? 201 : 200, Map.of("name", database));
    }

    Reply describe(Request request) {
        String database = request.name("db");
        return Reply.ok(Map.of("name", database, "tables", tables.in(database)));
    }

    Reply drop(Request request) {
        tables.dropDatabase(request.name("db"));
        return Reply.noContent();
    }

    Reply tables(Request request) {
        return Reply.ok(Map.of("tables", tables.in(request.name("db"))));
    }
}
