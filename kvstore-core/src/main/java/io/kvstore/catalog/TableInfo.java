package io.kvstore.catalog;

import io.kvstore.data.TableProperties;

/**
 * A table as the catalog knows it.
 *
 * @param id never reused in this store
 * @param properties the parameters, every one with a value
 * @param checkpointLsn the lsn up to which the table's own files are known to hold every operation
 * @param keptLsn the lsn up to which records that the table's own files lack are kept beside the log, in files that hold
 *     nothing else
 */
public record TableInfo(
        int id,
        String database,
        String name,
        String engine,
        TableProperties properties,
        long checkpointLsn,
        long keptLsn) {

    /** The lsn up to which the table needs no record of the log. */
    public long heldLsn() {
        return Math.max(checkpointLsn, keptLsn);
    }

    public TableInfo withCheckpointLsn(long lsn) {
        return new TableInfo(id, database, name, engine, properties, lsn, keptLsn);
    }

    public TableInfo withKeptLsn(long lsn) {
        return new TableInfo(id, database, name, engine, properties, checkpointLsn, lsn);
    }

    public TableInfo withName(String newName) {
        return new TableInfo(id, database, newName, engine, properties, checkpointLsn, keptLsn);
    }

    public TableInfo withProperties(TableProperties changed) {
        return new TableInfo(id, database, name, engine, changed, checkpointLsn, keptLsn);
    }

    /** This table in the place of another one: with its name, and its values of all parameters that both have. */
    public TableInfo inPlaceOf(TableInfo other) {
        return new TableInfo(
                id,
                other.database,
                other.name,
                engine,
                properties.withSharedOf(other.properties),
                checkpointLsn,
                keptLsn);
    }

    /** Whether another one differs at most in how far its files are. */
    public boolean isDefinedAs(TableInfo other) {
        return equals(new TableInfo(
                other.id, other.database, other.name, other.engine, other.properties, checkpointLsn, keptLsn));
    }

    /** This table with another id and no entries. */
    public TableInfo emptied(int newId, long lsn) {
        return new TableInfo(newId, database, name, engine, properties, lsn, 0);
    }
}
