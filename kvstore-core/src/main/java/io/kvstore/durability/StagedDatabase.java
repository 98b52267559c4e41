package io.kvstore.durability;

import io.kvstore.catalog.CatalogUncertainException;
import io.kvstore.catalog.TableInfo;
import io.kvstore.data.TableProperties;
import io.kvstore.error.Notices;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * A database that is being filled, and appears with all of its tables in one step. Until then the catalog lists its tables,
 * under the name of a database that it does not list. So nobody finds them, a backup leaves them out, and after a kill they go
 * when the store is opened again. Checkpoints and the log treat them as any table. Their directories have no labels until all
 * is there, so that no salvage takes a part for the whole.
 *
 * <p>States: growing, then published or given up. For use by one thread. The lock of {@link Schema} for changes guards the
 * state, which anybody may look at.
 */
public final class StagedDatabase implements AutoCloseable {

    private enum State {
        GROWING,
        PUBLISHED,
        GIVEN_UP
    }

    private final StoreServices services;
    private final Schema schema;
    private final String name;
    private final Map<String, OpenTable> tables = new ConcurrentSkipListMap<>();

    /** Of tables that are gone, and that the catalog still lists: on a full disk it could not be written. */
    private final Set<Integer> listed = ConcurrentHashMap.newKeySet();

    private volatile State state = State.GROWING;

    StagedDatabase(StoreServices services, Schema schema, String name) {
        this.services = services;
        this.schema = schema;
        this.name = name;
    }

    String name() {
        return name;
    }

    Collection<OpenTable> tables() {
        return List.copyOf(tables.values());
    }

    /** Creates a table, durably. Nobody finds it but the caller. */
    public OpenTable createTable(String table, String engine, TableProperties properties) {
        OpenTable[] created = new OpenTable[1];
        schema.change(
                "creating table " + table,
                () -> created[0] = schema.create(tables, new TableInfo(0, name, table, engine, properties, 0, 0)));
        return created[0];
    }

    /** Lets everybody find the database and all of its tables, durably, in one step. */
    public void publish() {
        schema.change("adding database " + name, () -> {
            for (OpenTable table : tables.values()) {
                schema.opener().label(table.info());
            }
            services.commit(() -> services.catalog().addDatabase(name), () -> {
                state = State.PUBLISHED;
                schema.published(this, tables);
            });
        });
    }

    boolean isGivenUp() {
        return state == State.GIVEN_UP;
    }

    /** Whether a table is gone that the catalog may still list. */
    boolean isGone(int tableId) {
        return isGivenUp() && listed.contains(tableId);
    }

    /** Gives up the database unless it was published: drops all of its tables. */
    @Override
    public void close() {
        if (state == State.GROWING) {
            schema.change("giving up database " + name, this::giveUp);
        }
    }

    /**
     * The tables go first. If the catalog cannot be written then, it lists them until the name is wanted again or the store is
     * opened; they hold nothing of the log meanwhile.
     */
    private void giveUp() throws IOException {
        state = State.GIVEN_UP;
        for (OpenTable table : tables.values()) {
            Incarnation incarnation = table.incarnationOrNull();
            listed.add(incarnation == null ? table.order() : incarnation.id());
            table.lock().lock();
            try {
                table.drop();
            } finally {
                table.lock().unlock();
            }
            if (incarnation != null) {
                incarnation.release();
            }
        }
        tables.clear();
        try {
            forget();
        } catch (CatalogUncertainException e) {
            throw e;
        } catch (IOException e) {
            Notices.warning(
                    StagedDatabase.class, name, "tables that are gone stay in the catalog until the next open", e);
        }
    }

    /** Takes what is left of it out of the catalog. */
    void forget() throws IOException {
        services.catalog().removeTables(listed);
        schema.staged().forget(this);
    }
}
