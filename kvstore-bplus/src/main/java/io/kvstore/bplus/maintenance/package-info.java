/**
 * Work beside reads and writes. {@link io.kvstore.bplus.maintenance.Maintenance} decides which work is due and does one task at
 * a time, in the background: dead values make room ({@link io.kvstore.value.ValueRelocation}), values get into the
 * order of keys ({@code Clustering}), leaves that became sparse are merged ({@code SparseLeaves}), and the hash index is filled
 * ({@code IndexedLeaves}). {@link io.kvstore.bplus.maintenance.Checkpoints} are made beside these tasks.
 *
 * <p>{@link io.kvstore.value.ValueSpace} is the bound of the disk: it knows how many bytes are dead, and lets writers wait when
 * there are too many. {@link io.kvstore.bplus.maintenance.Slack} says how many may be.
 * {@link io.kvstore.bplus.maintenance.Reclaim} gives back pages and segments that no state needs, which takes no work.
 * {@code Reserve} is a file that is given up when the disk is full, so that there is room for the work that makes room.
 */
@NullMarked
package io.kvstore.bplus.maintenance;

import org.jspecify.annotations.NullMarked;
