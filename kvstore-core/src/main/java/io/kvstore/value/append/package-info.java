/**
 * Segments that grow. {@link io.kvstore.value.append.ValueAppender} takes values under the table's write lock and copies them
 * to the tail, which is memory: arrays on the heap while somebody reads, blocks beside the heap while nobody does. A background
 * task writes the tail in large pieces, past the system's cache of files where the values come in blocks.
 *
 * <p>At most 16 MiB wait for the disk; beyond that writers wait. {@link io.kvstore.value.append.StoredSegment} has the leases
 * that keep a segment, {@link io.kvstore.value.append.ValueSegmentFiles} the files and their lock.
 */
@NullMarked
package io.kvstore.value.append;

import org.jspecify.annotations.NullMarked;
