/**
 * The state of a hash table, and how writers and readers use it. {@code Writes} takes operations, {@code Settling} brings their
 * changes into the index, {@code PointReader} and {@code HashCursor} read. {@code TableState} has the parts and the lock.
 */
@NullMarked
package io.kvstore.hash.table;

import org.jspecify.annotations.NullMarked;
