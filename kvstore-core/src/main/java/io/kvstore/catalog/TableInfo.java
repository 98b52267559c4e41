package io.kvstore.catalog;

import io.kvstore.data.TableProperties;

/**
 * A table as the catalog knows it.
 *
 * @param id never reused in this store
 * @param database the database's name
 * @param name the table's name
 * @param engine the engine's name
 * @param properties the parameters, every one with a value
 * @param checkpointLsn up to where the table's own files are known to hold every operation
 */
public record TableInfo(
        int id, String database, String name, String engine, TableProperties properties, long checkpointLsn) {

    /** This table with another checkpoint lsn. */
    public TableInfo withCheckpointLsn(long lsn) {
        return new TableInfo(id, database, name, engine, properties, lsn);
    }

    /** This table with another id and nothing in it. */
    public TableInfo emptied(int newId, long lsn) {
        return new TableInfo(newId, database, name, engine, properties, lsn);
    }
}
