/**
 * Flushes and compactions: work that makes files from memtables and files.
 *
 * <ol>
 *   <li>{@link io.kvstore.lsm.compaction.CompactionSchedule} says what is due: what keeps the levels in shape
 *       ({@link io.kvstore.lsm.compaction.CompactionPicker}, a pure function of the files), what brings space back, and what
 *       puts values in the order of their keys ({@code Clustering}).
 *   <li>{@link io.kvstore.lsm.compaction.MemTableFlush} and {@link io.kvstore.lsm.compaction.Compaction} merge their sources.
 *       {@code Retention} decides for each entry whether it stays; {@code ValueRewrites} which values move.
 *   <li>{@code OutputFiles} are what they write. The files count when they are committed, and are deleted if that fails.
 * </ol>
 *
 * <p>A job changes nothing before its last step, so one that fails or is stopped leaves all as it was. A damaged file is noted
 * in {@link io.kvstore.lsm.compaction.Damage} and not chosen again. Whoever calls makes sure that at most one flush and one
 * compaction run at a time.
 */
@NullMarked
package io.kvstore.lsm.compaction;

import org.jspecify.annotations.NullMarked;
