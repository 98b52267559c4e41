/**
 * The engine of log-structured merge trees. Writes gather in a memtable. Full memtables become files of level 0. Files are
 * merged into deeper levels in the background. Long values are kept apart in value segments, and entries point to them.
 *
 * <p>The engine has rooms in an order. A room imports only rooms below it, and only this one, the root, knows all of them:
 *
 * <pre>
 *   (root)       LsmEngine; MemTables is the writers' side, Maintenance the background's
 *   compaction   flushes and compactions: which files are due, which entries stay, which files are written
 *   version      which memtables and files count at one moment, the manifest, and cursors over all of it
 *   memtable     the newest entries, outside the heap
 *   options      the parameters of a table, and the sizes that follow from them
 *   sstable      one immutable sorted file: its format, writer, reader and check
 *   entry        versions of keys, and walks over them
 * </pre>
 *
 * <p>Public types in the rooms are for other rooms only. Code outside the module sees the provider and the parameters.
 */
@NullMarked
package io.kvstore.lsm;

import org.jspecify.annotations.NullMarked;
