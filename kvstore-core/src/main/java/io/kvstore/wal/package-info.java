/** The write-ahead log. It knows bytes and table ids, not engines. */
@NullMarked
package io.kvstore.wal;

import org.jspecify.annotations.NullMarked;
