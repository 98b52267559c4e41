/**
 * The files of the log.
 *
 * <pre>
 *   prepared   zero-filled or recycled, and synced, before a writer needs it     SegmentPool
 *      |
 *   active     takes records; one at a time                                      StagedSegment or MappedSegment
 *      |
 *   full       some table still needs a record of it                             ActiveSegments
 *      |
 *   free       prepared again under a new number, or deleted
 * </pre>
 *
 * <p>A {@link io.kvstore.wal.segment.StagedSegment} gathers records in memory and writes them in groups; a
 * {@link io.kvstore.wal.segment.MappedSegment} takes them into a mapping, so that they survive the process at once.
 * {@link io.kvstore.wal.segment.ActiveSegment} notes the last lsn of each table that has records in a segment.
 */
@NullMarked
package io.kvstore.wal.segment;

import org.jspecify.annotations.NullMarked;
