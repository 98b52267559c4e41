package io.kvstore.wal;

/** Tells which records of the log no table needs, because the tables hold them in files of their own. */
public interface Held {

    /** The lsn up to which a table needs no record. For a table that does not exist any more, the greatest possible lsn. */
    long byTable(int tableId);

    /** The lsn up to which no table needs a record. */
    long byAll();
}
