package io.kvstore.server.http;

import io.kvstore.KVStore;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.NotFoundException;
import java.util.Map;
import java.util.Objects;

/** Databases. */
final class DatabaseHandlers {

    private final KVStore store;
    private final Tables tables;

    DatabaseHandlers(KVStore store, Tables tables) {
        this.store = store;
        this.tables = tables;
    }

    Reply list(Request request) {
        return Reply.ok(Map.of("databases", store.databases()));
    }

    /** 201 when it is new, 200 when it was there. */
    Reply create(Request request) {
        String database = request.name("db");
        int status = 201;
        try {
            store.createDB(database);
        } catch (AlreadyExistsException e) {
            status = 200;
        }
        return Reply.json(status, Map.of("name", database));
    }

    Reply describe(Request request) {
        String database = tables.database(request);
        return Reply.ok(Map.of("name", database, "tables", store.tables(database)));
    }

    Reply drop(Request request) {
        String database = request.name("db");
        try {
            store.dropDB(database);
        } catch (NotFoundException e) {
            throw new ProblemException(
                    Problem.of(ProblemCode.DATABASE_NOT_FOUND, Objects.requireNonNullElse(e.getMessage(), "")));
        } catch (AlreadyExistsException e) {
            throw new ProblemException(
                    Problem.of(ProblemCode.DATABASE_NOT_EMPTY, Objects.requireNonNullElse(e.getMessage(), "")));
        }
        return Reply.noContent();
    }

    Reply tables(Request request) {
        return Reply.ok(Map.of("tables", store.tables(tables.database(request))));
    }
}
