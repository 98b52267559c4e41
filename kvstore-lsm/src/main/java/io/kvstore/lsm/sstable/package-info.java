/**
 * One immutable sorted file of entries. An {@link io.kvstore.lsm.sstable.SsTableWriter} writes it from front to back;
 * an open {@link io.kvstore.lsm.sstable.SsTable} has index and filter in memory, and reads and checks a block each time it is
 * needed; an {@code SsTableCursor} walks over its entries; an {@code SsTableCheck} reads all of it. The bytes are described in
 * docs/file-formats.md, and {@code SsTableFormat} has the numbers.
 *
 * <p>Invariants: a file is complete before anybody opens it, and never changes. No length that is read from it is believed
 * before it was checked against what can be there. Every failure to make sense of a byte is a
 * {@link io.kvstore.error.CorruptionException} with the name of the file and the offset.
 *
 * <p>Whether a file counts is not known here; see the room {@code version}.
 */
@NullMarked
package io.kvstore.lsm.sstable;

import org.jspecify.annotations.NullMarked;
