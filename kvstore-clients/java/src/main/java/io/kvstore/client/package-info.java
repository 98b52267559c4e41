/** The client: {@link io.kvstore.client.KVClient} and what it takes and returns. */
@NullMarked
package io.kvstore.client;

import org.jspecify.annotations.NullMarked;
