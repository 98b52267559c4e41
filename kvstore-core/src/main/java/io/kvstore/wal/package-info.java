/** The write-ahead log: frames, segments, group commit, and the recovery of a log that a crash left. */
@NullMarked
package io.kvstore.wal;

import org.jspecify.annotations.NullMarked;
