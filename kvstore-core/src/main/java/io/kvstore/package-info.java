/** The public API: {@link io.kvstore.KVStore} and what it returns. */
@NullMarked
package io.kvstore;

import org.jspecify.annotations.NullMarked;
