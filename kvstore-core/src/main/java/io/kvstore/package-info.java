/** The public API: {@link io.kvstore.KVStore} and the types that it returns. */
@NullMarked
package io.kvstore;

import org.jspecify.annotations.NullMarked;
