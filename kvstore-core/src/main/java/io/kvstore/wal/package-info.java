/** The write-ahead log: frames, segments, group commit and the reading of what a crash left. */
@NullMarked
package io.kvstore.wal;

import org.jspecify.annotations.NullMarked;
