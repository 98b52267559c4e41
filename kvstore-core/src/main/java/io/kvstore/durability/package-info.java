/** The path that all writes, checkpoints and recovery take. */
@NullMarked
package io.kvstore.durability;

import org.jspecify.annotations.NullMarked;
