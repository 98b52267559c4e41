package io.kvstore.wal;

import java.util.function.IntToLongFunction;

/**
 * Tells which records of the log no table needs, because the tables hold them in files of their own.
 *
 * @param byTable the lsn up to which the table of an id needs no record; the greatest lsn if it does not exist any more
 * @param byAll the lsn up to which no table needs a record
 */
public record Held(IntToLongFunction byTable, long byAll) {}
