/**
 * Versions of keys, and walks over them: the terms that all rooms of the engine share.
 *
 * <p>An entry is one version of one key. It has the lsn of the operation that wrote it, a kind, and a value or a pointer to
 * a value. A tombstone has neither. {@link io.kvstore.lsm.entry.EntryCursor} is the interface for walks over any source of
 * entries, memtable or file, in one order: by key, and within a key from the newest lsn to the oldest. A
 * {@link io.kvstore.lsm.entry.MergingCursor} merges several walks into one. The search for one key hands a
 * {@link io.kvstore.lsm.entry.Lookup} from source to source. The first source that has a visible version fills it.
 *
 * <p>Nothing in this room knows files, locks or threads.
 */
@NullMarked
package io.kvstore.lsm.entry;

import org.jspecify.annotations.NullMarked;
