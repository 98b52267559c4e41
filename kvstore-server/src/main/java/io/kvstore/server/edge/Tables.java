package io.kvstore.server.edge;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.NotFoundException;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Finds databases and tables by name, and tells a missing database from a missing table. Safe for use by several threads. */
public final class Tables {

    private final KVStore store;

    public Tables(KVStore store) {
        this.store = store;
    }

    /** A table, which must exist. */
    public Table named(String database, String table) {
        try {
            return store.table(database, table);
        } catch (NotFoundException e) {
            throw notFound(database, table, e);
        }
    }

    /** The tables of a database, which must exist. */
    public List<String> in(String database) {
        try {
            return store.tables(database);
        } catch (NotFoundException e) {
            throw noDatabase(database);
        }
    }

    /** Creates a database. Returns false if it existed already. */
    public boolean createDatabase(String database) {
        try {
            store.createDB(database);
            return true;
        } catch (AlreadyExistsException e) {
            return false;
        }
    }

    /** Drops a database, which must be empty. */
    public void dropDatabase(String database) {
        try {
            store.dropDB(database);
        } catch (NotFoundException e) {
            throw new ProblemException(
                    Problem.of(ProblemCode.DATABASE_NOT_FOUND, Objects.requireNonNullElse(e.getMessage(), "")));
        } catch (AlreadyExistsException e) {
            throw new ProblemException(
                    Problem.of(ProblemCode.DATABASE_NOT_EMPTY, Objects.requireNonNullElse(e.getMessage(), "")));
        }
    }

    /** Gives a table another name in its database. */
    public Table rename(String database, String table, String newName) {
        try {
            return store.renameTable(database, table, newName);
        } catch (NotFoundException e) {
            throw notFound(database, table, e);
        }
    }

    /** Gives options of a table other values, all of them or none. */
    public static void alter(Table table, Map<String, String> options) {
        TableDefinition.check(options);
        table.alter(TableDefinition.asProperties(options));
    }

    /** Drops a table. */
    public void drop(String database, String table) {
        try {
            store.dropTable(database, table);
        } catch (NotFoundException e) {
            throw notFound(database, table, e);
        }
    }

    /** A table that a request asked to create, and whether the request created it. */
    public record Created(Table table, boolean isNew) {}

    /** Creates a table, unless it exists with the same definition. */
    public Created create(String database, String name, TableDefinition definition) {
        try {
            return new Created(store.createTable(database, name, definition.engine(), definition.asProperties()), true);
        } catch (NotFoundException e) {
            throw notFound(database, name, e);
        } catch (AlreadyExistsException e) {
            Table existing = named(database, name);
            if (definition.isThatOf(existing)) {
                return new Created(existing, false);
            }
            throw new ProblemException(Problem.of(
                            ProblemCode.DEFINITION_DIFFERS,
                            "the table \"" + name + "\" exists with another definition; drop it or take another name")
                    .with("existing", TableDescription.of(existing)));
        }
    }

    /** Refuses a value that is over the table's limit. */
    public static void checkValueBytes(Table table, int bytes) {
        long max = table.maxValueBytes();
        if (bytes > max) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.TOO_LARGE,
                    "the value has " + bytes + " bytes; the table \"" + table.name() + "\" takes at most " + max
                            + " (MAX_VALUE_BYTES)",
                    max,
                    bytes));
        }
    }

    private ProblemException notFound(String database, String table, NotFoundException cause) {
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
