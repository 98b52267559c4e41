/**
 * Work beside readers and writers: {@code Checkpoints} make the index durable, {@code Relocation} gives the space of replaced
 * values back, {@code ValueSpace} says when writers wait for it, {@code HashCheck} looks for damage, and {@code Maintenance}
 * begins the work that is due.
 */
@NullMarked
package io.kvstore.hash.maintenance;

import org.jspecify.annotations.NullMarked;
