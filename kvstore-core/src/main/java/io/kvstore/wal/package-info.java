/**
 * The write-ahead log: one for all tables of a store.
 *
 * <pre>
 *   (root)    WriteAheadLog, which claims and copies records; GroupCommit; LogRecovery; KeptRecords of failed tables
 *   segment   files of the log: prepared, active, full, free to be used again
 *   format    the bytes of frames and records, and the search for frames in bytes that a crash left
 * </pre>
 *
 * <p>A record goes through these states:
 *
 * <pre>
 *   claimed     it has an lsn and a place, under the log's short lock
 *   copied      its bytes are in the mapping of the active segment
 *   landed      it and all records before it are in the file: the process may end (BUFFERED)
 *   durable     it and all records before it are synced: the machine may end (SYNC)
 *   released    all its tables hold it elsewhere; its segment may be used again
 * </pre>
 *
 * <p>The order of lsns is the order of records in the file. One waiting thread leads, writes and syncs for all. A failed sync
 * fails the log for good. The log knows bytes and table ids, and never an engine. What recovery does with a torn end and with
 * damage stands in {@code docs/recovery.md}, the bytes in {@code docs/file-formats.md}.
 */
@NullMarked
package io.kvstore.wal;

import org.jspecify.annotations.NullMarked;
