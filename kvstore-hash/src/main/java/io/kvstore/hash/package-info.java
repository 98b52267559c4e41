/**
 * The {@code HASH} engine. Its rooms, from the lowest:
 *
 * <pre>
 *   index        from the hash of a key to the place of its newest value, in memory
 *   file         the index file: images of pages, changes, commits
 *   table        the state of a table, its writers and readers
 *   maintenance  checkpoints, relocation, verification
 * </pre>
 */
@NullMarked
package io.kvstore.hash;

import org.jspecify.annotations.NullMarked;
