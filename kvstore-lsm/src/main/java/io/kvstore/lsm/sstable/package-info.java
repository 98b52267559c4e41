/**
 * One immutable sorted file of entries. An {@link io.kvstore.lsm.sstable.SsTableWriter} writes it from front to back. An
 * open {@link io.kvstore.lsm.sstable.SsTable} has index and filter in memory, and reads and checks a block each time it is
 * needed. An {@code SsTableCursor} walks over its entries. An {@code SsTableCheck} reads all of it. The format is described
 * in docs/file-formats.md, and its constants are in {@code SsTableFormat}.
 *
 * <p>Invariants: a file is complete before it is opened, and never changes. A length that is read from it is checked
 * against the possible lengths before it is used. Every failure to interpret the bytes is a
 * {@link io.kvstore.error.CorruptionException} with the name of the file and the offset.
 *
 * <p>This room does not know whether a file counts; see the room {@code version}.
 */
@NullMarked
package io.kvstore.lsm.sstable;

import org.jspecify.annotations.NullMarked;
