/** Immutable sorted tables on disk. */
@NullMarked
package io.kvstore.lsm.sstable;

import org.jspecify.annotations.NullMarked;
