package io.kvstore.durability;

import io.kvstore.catalog.TableInfo;
import io.kvstore.data.TableProperties;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.Notices;
import java.util.Map;
import java.util.function.Function;

/**
 * Changes of the name and of the parameters of a table that is in use. Readers and writers go on, and so do cursors, snapshots
 * and handles. No file of entries is touched.
 *
 * <p>The catalog has the change first, durably. A crash before that leaves the old definition, and after that the new one. What
 * follows is in memory, and the store fails if it cannot be done, but for the label of the table's directory. If the label
 * cannot be written, the next opening of the store writes it.
 */
public final class Redefinition {

    private final StoreServices services;
    private final Schema schema;

    Redefinition(StoreServices services, Schema schema) {
        this.services = services;
        this.schema = schema;
    }

    /** Gives a table another name in its database. To give it the name that it has does nothing. */
    public OpenTable rename(String database, String name, String newName) {
        OpenTable[] renamed = new OpenTable[1];
        schema.change("renaming table " + name, () -> {
            OpenTable table = schema.table(database, name);
            if (!name.equals(newName)) {
                Map<String, OpenTable> tables = schema.withName(table, newName);
                services.commit(
                        () -> services.catalog().changeTable(table.catalogId(), info -> info.withName(newName)), () -> {
                            table.rename(newName);
                            schema.become(database, tables);
                        });
                label(table);
            }
            renamed[0] = table;
        });
        return renamed[0];
    }

    /**
     * Gives a table other parameters. Writes and views that begin afterwards go by them, and others may.
     *
     * @param change finds the parameters, every one with a value, for the table as it is; throws to change nothing
     * @return the parameters that the table has now
     */
    public TableProperties alter(OpenTable table, Function<TableInfo, TableProperties> change) {
        TableProperties[] altered = new TableProperties[1];
        schema.change("altering table " + table.name(), () -> {
            Incarnation incarnation = table.incarnation();
            TableProperties next = change.apply(incarnation.info());
            if (!next.equals(incarnation.info().properties())) {
                services.commit(
                        () -> services.catalog().changeTable(incarnation.id(), info -> info.withProperties(next)),
                        () -> adopt(table, incarnation, next));
                label(table);
            }
            altered[0] = next;
        });
        return altered[0];
    }

    private static void adopt(OpenTable table, Incarnation incarnation, TableProperties next) {
        table.lock().lock();
        try {
            table.adopt(next);
        } finally {
            table.lock().unlock();
        }
        incarnation.engine().adopt(next);
    }

    /** The change is made. So nothing is thrown, whatever becomes of the label. */
    private void label(OpenTable table) {
        try {
            TableInfo info = services.catalog().state().tables().get(table.catalogId());
            if (info != null && schema.databases().contains(info.database())) {
                schema.opener().labelIfMissing(info);
            }
        } catch (Throwable e) {
            Notices.warning(Redefinition.class, null, "a table that was changed has an old label", e);
        }
    }

    static AlreadyExistsException taken(String database, String name) {
        return new AlreadyExistsException("database " + database + " has a table " + name + " already");
    }
}
