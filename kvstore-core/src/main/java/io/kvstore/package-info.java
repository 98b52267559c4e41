/** The public API: names to tables, and the life of a store. */
@NullMarked
package io.kvstore;

import org.jspecify.annotations.NullMarked;
