/**
 * Versions of keys, and walks over them: the terms that all rooms of the engine share.
 *
 * <p>An entry is one version of one key. It has the lsn of the operation that wrote it, a kind, and a value, a pointer to a
 * value, or nothing if it is a tombstone. Every source of entries, memtable or file, is walked through one interface,
 * {@link io.kvstore.lsm.entry.EntryCursor}, in one order: by key, and within a key from the newest lsn to the oldest. A
 * {@link io.kvstore.lsm.entry.MergingCursor} makes one walk of several. The search for one key carries a
 * {@link io.kvstore.lsm.entry.Lookup} from source to source, which is filled by the first that has a visible version.
 *
 * <p>Nothing in this room knows files, locks or threads.
 */
@NullMarked
package io.kvstore.lsm.entry;

import org.jspecify.annotations.NullMarked;
