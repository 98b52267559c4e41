/**
 * One value segment: a file of records, each with the key, the lsn and a checksum, so that a reader finds out whether a pointer
 * is right. {@link io.kvstore.value.segment.ValueSegmentFormat} has the bytes, which docs/file-formats.md describes;
 * {@link io.kvstore.value.segment.ValueSegment} reads through a mapping or by position, checks what it reads, and walks over
 * all records; {@link io.kvstore.value.segment.ValueSegmentWriter} writes a whole segment from front to back.
 *
 * <p>Nothing in this room knows which segments a table has, or what in them is alive.
 */
@NullMarked
package io.kvstore.value.segment;

import org.jspecify.annotations.NullMarked;
