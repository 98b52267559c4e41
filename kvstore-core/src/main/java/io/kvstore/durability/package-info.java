/**
 * The path that all writes, checkpoints and recovery take. An open store is made of these parts:
 *
 * <pre>
 *   OpenStore        the parts, the ticks, and the order in which they are closed
 *   Schema           databases and tables by name; OpenTable is one of them, Incarnation its engine between two truncates
 *   StagedDatabase   a database that is being filled and appears as a whole, such as one of a backup
 *   CommitPipeline   the one door of writes, with TableLock and LogRoom
 *   Reads, PinnedView, TableCursor    gets, snapshots and scans
 *   Checkpointer     makes tables durable without the log; LogRelease then frees the log
 *   Recovery         opens a store after whatever happened
 *   background       the threads of the store
 * </pre>
 *
 * <p>Invariants. A write is acknowledged after its record is durable (SYNC) or has landed (BUFFERED), never before. A record
 * is freed when all its tables hold it in files of their own. Locks are taken in one order: schema, tables in ascending order
 * of their ids, log.
 *
 * <p>{@code docs/design/write-path.md} and {@code docs/design/table-lock.md} draw the first two, {@code docs/recovery.md} the
 * last.
 */
@NullMarked
package io.kvstore.durability;

import org.jspecify.annotations.NullMarked;
