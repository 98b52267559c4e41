/**
 * Work beside readers and writers: {@code Checkpoints} make the index durable, {@link io.kvstore.value.ValueRelocation} gives
 * the space of replaced values back, {@link io.kvstore.value.ValueSpace} says when writers wait for it, {@code HashCheck} looks
 * for damage, and {@code Maintenance} begins the work that is due.
 */
@NullMarked
package io.kvstore.hash.maintenance;

import org.jspecify.annotations.NullMarked;
