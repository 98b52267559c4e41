package io.kvstore.wal;

/** Which records of the log are needed by nobody, because the tables hold them in files of their own. */
public interface Held {

    /** The lsn up to which a table needs no record; of one that does not exist any more, the greatest there is. */
    long byTable(int tableId);

    /** The lsn up to which no table needs a record. */
    long byAll();
}
