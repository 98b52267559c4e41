/**
 * The log-structured merge tree engine. Writes gather in a memtable; full memtables become files of level 0; files are merged
 * into deeper levels in the background. Values that are long lie apart, in value segments, and entries point to them.
 *
 * <p>The engine has rooms in an order. A room imports only rooms below it, and only this one, the root, knows all of them:
 *
 * <pre>
 *   (root)       LsmEngine; MemTables is the writers' side, Maintenance the background's
 *   compaction   flushes and compactions: which files are due, which entries stay, what is written
 *   version      which memtables and files count at one moment, the manifest, and cursors over all of it
 *   memtable     what was written last, outside the heap
 *   options      the parameters of a table, and what follows from them
 *   sstable      one immutable sorted file: its format, writer, reader and check
 *   entry        versions of keys, and walks over them
 * </pre>
 *
 * <p>Types in the rooms are public for each other only. Others see the provider and the parameters.
 */
@NullMarked
package io.kvstore.lsm;

import org.jspecify.annotations.NullMarked;
