/**
 * Where the newest value of each key lies: the index of a hash table, in memory only. Other rooms use {@link
 * io.kvstore.hash.index.Directory}. {@code PageMemory} has the memory, {@code Growth} makes pages larger and splits them, and
 * {@code Promises} remembers which inserts have room.
 *
 * <p>One thread at a time changes the index, with the lock of the table. Any thread reads it, without a lock. {@link
 * io.kvstore.hash.index.Directory} says what a reader can rely on. docs/design/hash-table.md has the bits and the invariants.
 *
 * <p>Nothing in this room knows keys, records or files.
 */
@NullMarked
package io.kvstore.hash.index;

import org.jspecify.annotations.NullMarked;
