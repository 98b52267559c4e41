/** The one write door, checkpoints and recovery. */
@NullMarked
package io.kvstore.durability;

import org.jspecify.annotations.NullMarked;
