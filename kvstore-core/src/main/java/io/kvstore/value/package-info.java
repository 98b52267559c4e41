/** Values that are kept apart from the index of their table: append-only segments, and pointers into them. */
@NullMarked
package io.kvstore.value;

import org.jspecify.annotations.NullMarked;
