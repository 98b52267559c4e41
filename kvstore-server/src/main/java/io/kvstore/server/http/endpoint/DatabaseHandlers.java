package io.kvstore.server.http.endpoint;

import io.kvstore.KVStore;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Tables;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import java.util.Map;

/** Databases. */
public final class DatabaseHandlers {

    private final KVStore store;
    private final Tables tables;

    public DatabaseHandlers(Edge edge) {
        this.store = edge.store();
        this.tables = edge.tables();
    }

    public Reply list(Request request) {
        return Reply.ok(Map.of("databases", store.databases()));
    }

    /** Answers 201 if the database is new, 200 if it existed. */
    public Reply create(Request request) {
        String database = request.name("db");
        return Reply.json(tables.createDatabase(database) ? 201 : 200, Map.of("name", database));
    }

    public Reply describe(Request request) {
        String database = request.name("db");
        return Reply.ok(Map.of("name", database, "tables", tables.in(database)));
    }

    public Reply drop(Request request) {
        tables.dropDatabase(request.name("db"));
        return Reply.noContent();
    }

    public Reply tables(Request request) {
        return Reply.ok(Map.of("tables", tables.in(request.name("db"))));
    }
}
