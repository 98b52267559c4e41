/**
 * Flushes and compactions: background jobs that make files from memtables and files.
 *
 * <ol>
 *   <li>{@link io.kvstore.lsm.compaction.CompactionSchedule} says which compaction is due. A compaction keeps the levels in
 *       shape ({@link io.kvstore.lsm.compaction.CompactionPicker}, a pure function of the files), moves values out of segments
 *       that are mostly dead, or puts values in the order of their keys ({@code Clustering}).
 *   <li>{@link io.kvstore.lsm.compaction.MemTableFlush} and {@link io.kvstore.lsm.compaction.Compaction} merge their sources.
 *       {@code Retention} decides for each entry whether it stays.
 *   <li>{@code OutputFiles} are the new files of a job. The files count when they are committed, and are deleted if that fails.
 * </ol>
 *
 * <p>A job changes nothing before its last step. So a job that fails or is stopped leaves everything as it was. A damaged file
 * is noted in {@link io.kvstore.lsm.compaction.Damage} and not chosen again. The caller makes sure that at most one flush and
 * one compaction run at a time.
 */
@NullMarked
package io.kvstore.lsm.compaction;

import org.jspecify.annotations.NullMarked;
