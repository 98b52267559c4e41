package io.kvstore.server.http;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.error.NotFoundException;

/** Finds the databases and tables that requests name, and tells a missing database from a missing table. */
final class Tables {

    private final KVStore store;

    Tables(KVStore store) {
        this.store = store;
    }

    /** The table in the path of a request. */
    Table of(Request request) {
        return named(request.name("db"), request.name("table"));
    }

    Table named(String database, String table) {
        try {
            return store.table(database, table);
        } catch (NotFoundException e) {
            throw notFound(database, table, e);
        }
    }

    /** The database in the path of a request, which must exist. */
    String database(Request request) {
        String database = request.name("db");
        try {
            store.tables(database);
            return database;
        } catch (NotFoundException e) {
            throw noDatabase(database);
        }
    }

    /** The problem that a table's absence is. */
    ProblemException notFound(String database, String table, NotFoundException cause) {
        if (!store.databases().contains(database)) {
            return noDatabase(database);
        }
        ProblemException problem = new ProblemException(Problem.of(
                ProblemCode.TABLE_NOT_FOUND,
                "there is no table \"" + table + "\" in the database \"" + database + "\""));
        problem.addSuppressed(cause);
        return problem;
    }

    private static ProblemException noDatabase(String database) {
        return new ProblemException(
                Problem.of(ProblemCode.DATABASE_NOT_FOUND, "there is no database \"" + database + "\""));
    }
}
