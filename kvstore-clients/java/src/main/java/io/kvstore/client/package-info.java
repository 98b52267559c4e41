/** The client: {@link io.kvstore.client.KVClient}, and the types of its arguments and results. */
@NullMarked
package io.kvstore.client;

import org.jspecify.annotations.NullMarked;
