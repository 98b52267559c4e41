/** The one door for writes, checkpoints and recovery. */
@NullMarked
package io.kvstore.durability;

import org.jspecify.annotations.NullMarked;
